import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { systemPrograms } from './find-programs.ts';
import { watchdogScript } from './leftover-processes.ts';

/** Runs the warden over its input, and then breaks the pipe. */
async function tellAndBreak(text: string): Promise<void> {
  const warden = spawn('/bin/sh', ['-c', watchdogScript('linux', systemPrograms)], {
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  warden.stdin.end(text);
  await once(warden, 'close');
}

function command(mark: string, script: string) {
  const env = { PATH: process.env['PATH'], CAPSTAN_COMMAND: mark };
  const child = spawn('bash', ['-c', script], { detached: true, env, stdio: 'ignore' });
  const end = once(child, 'exit').then(([, signal]: unknown[]) => signal);
  return { group: String(child.pid), end };
}

test.runIf(process.platform === 'linux')(
  'the warden ends what was about to start, what runs, and nothing else',
  async () => {
    const starting = command('w.1.', 'sleep 60');
    const running = command('w.2.', 'sleep 60');
    const over = command('w.3.', 'sleep 60');
    const stranger = command('w.22.', 'sleep 60');
    await tellAndBreak(
      `+ w.1.\n+ w.2.\n+ w.2.:${running.group}\n- w.2.\n+ w.3.\n+ w.3.:${over.group}\n- w.3.\n- w.3.:${over.group}\n`,
    );
    expect(await Promise.all([starting.end, running.end])).toEqual(['SIGKILL', 'SIGKILL']);
    const alive = [over, stranger].map(({ group }) => process.kill(-Number(group), 'SIGTERM'));
    expect(alive).toEqual([true, true]);
    expect(await Promise.all([over.end, stranger.end])).toEqual(['SIGTERM', 'SIGTERM']);
  },
);

test.runIf(process.platform === 'linux')(
  'a sandbox that is still being built is found when it shows what it is',
  async () => {
    // The mark comes late, as behind a program that hides its variables while it works.
    const late = command('', 'sleep 0.4; CAPSTAN_COMMAND=w.4. exec sleep 60');
    await tellAndBreak('+ w.4.\n');
    expect(await late.end).toBe('SIGKILL');
  },
);
