import { describe, expect, it } from 'vitest';
import { DemoStage } from '../demo/demo-stage.ts';
import { hasTerminals, onTerminal } from '../harness/terminal.ts';

describe('capstan demo', () => {
  it('counts tokens as a provider would, keeps its files when asked to, and ends with how to go on', async () => {
    const stage = new DemoStage();
    // As `npm start` runs it, where the command is not installed.
    const fromClone = { npm_lifecycle_event: 'start', PATH: stage.pathWithout('capstan') };
    const { code, stdout } = await stage.start(['demo', '--keep'], { env: fromClone }).finished;
    expect(code, stdout).toBe(0);
    expect(
      stdout
        .split('\n')
        .filter((line) => line.startsWith('> '))
        .slice(-4),
    ).toEqual([
      '> npm install -g --loglevel=error .',
      '> export OPENAI_API_KEY=...',
      '> capstan exec -s workspace-write -C path/to/project "what to do"',
      '> capstan exec --oss -s workspace-write -C path/to/project "what to do"',
    ]);
    const [, home = ''] = /^> export CAPSTAN_HOME=(\S+)$/m.exec(stdout) ?? [];
    const [, project = ''] = /^> cd (\S+)$/m.exec(stdout) ?? [];
    const context = await stage.start(['context', '--last', '--json'], {
      env: { CAPSTAN_HOME: home },
      cwd: project,
    }).finished;
    const { families } = JSON.parse(context.stdout) as { families: readonly { family: string; tokens: number }[] };
    expect(families[0]).toMatchObject({
      family: 'instructions',
      tokens: expect.toSatisfy((count: number) => count > 400),
    });
  });

  it.runIf(hasTerminals)('has a status line and colours on a terminal', async () => {
    const stage = new DemoStage();
    const { code, stdout } = await stage.start(['demo'], { env: { TERM: 'xterm' }, prefix: onTerminal }).finished;
    expect(code, stdout).toBe(0);
    expect(stdout).toContain('\r\u001b[K\u001b[1mRunning sh release');
    expect(stdout).toContain('\u001b[32m  +export const');
    expect(stdout).toContain('\u001b[36m> capstan exec');
  });
});
