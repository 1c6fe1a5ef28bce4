import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DemoStage, program, repository } from './demo-stage.ts';

// test/deep/demo.test.ts has what needs a terminal, and the files that are kept.
describe('capstan demo', () => {
  it('shows what exec shows, proves it, and leaves nothing behind', async () => {
    const stage = new DemoStage();
    const { code, stdout, stderr } = await stage.start(['demo']).finished;
    expect({ code, stderr, stdout }).toMatchObject({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^> capstan exec 'The check fails\. Please fix it\.'\ncapstan \S+ · thread \S+ · scripted/m);
    expect(stdout).toMatch(
      /^ {2}largest.* FAIL, should be 10\n {2}\[exit 1(?: after \d+ s)?\]\nupdate .*largest\.mjs\n/m,
    );
    expect(stdout).toMatch(/^ {2}-export const .*\n {2}\+export const /m);
    expect(stdout).toMatch(/pass\n {2}\[exit 0(?: after \d+ s)?\]\nFixed\./);
    expect(stdout).toContain('Killed with SIGKILL after the first step. release.log: tag 1.0.1\n');
    expect(stdout).toContain('Capstan sent the model: "Outcome unknown: ');
    expect(stdout).toContain('Each step was done once. release.log: tag 1.0.1, upload 1.0.1, announce 1.0.1\n');
    expect(stdout).toContain('Capstan sent the model: "Sandbox: read-only.');
    expect(stdout).toMatch(/^(\d+) of \1 requests rebuilt byte for byte \(\d+ KB\)\.$/m);
    expect(stdout).toMatch(/^Each request extends the one before, so a provider can cache \d+% of the bytes\.$/m);
    expect(stdout).not.toContain('\u001b');
    const lines = stdout.split('\n');
    // Lines of exec itself may be longer: a terminal breaks them.
    const own = lines.filter(
      (line) => !/^(?:capstan |update |The last turn |Commands run under Landlock |> node )/.test(line),
    );
    expect(own.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.length).toBeLessThan(80);
    expect(stage.leftovers()).toEqual([]);
    expect(stage.filesLeft()).toEqual([]);
  });

  it('is what a bare command does as long as nothing is configured, and ends soon when it is interrupted', async () => {
    const stage = new DemoStage();
    const running = stage.start([]);
    await running.printed('sh release tag');
    running.child.kill('SIGINT');
    const { code, stdout } = await running.finished;
    expect([code, stdout.split('\n').at(-2)]).toEqual([130, 'Interrupted.']);
    expect(stage.leftovers()).toEqual([]);
    expect(stage.filesLeft()).toEqual([]);
  });

  it('ends when it has no reader any more', async () => {
    const stage = new DemoStage();
    const running = stage.start(['demo']);
    await running.printed('Fix a bug');
    running.child.stdout?.destroy();
    const { code, stderr } = await running.finished;
    expect([code, stderr]).toEqual([1, '']);
    expect(stage.leftovers()).toEqual([]);
    expect(stage.filesLeft()).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('says what to do where there is no sandbox', async () => {
    const stage = new DemoStage();
    // Links the same program into a folder without the bubblewrap that the preparation unpacks, and without the package
    // that reaches Landlock.
    symlinkSync(join(repository, dirname(program)), join(stage.place, dirname(program)));
    mkdirSync(join(stage.place, 'node_modules'));
    for (const name of readdirSync(join(repository, 'node_modules')).filter((each) => each !== 'koffi')) {
      symlinkSync(join(repository, 'node_modules', name), join(stage.place, 'node_modules', name));
    }
    const links = { NODE_OPTIONS: '--preserve-symlinks --preserve-symlinks-main' };
    const { code, stdout } = await stage.start(['demo'], {
      env: { ...links, PATH: stage.pathWithout('bwrap') },
      root: stage.place,
    }).finished;
    expect(code, stdout).toBe(0);
    expect(stdout).toMatch(/\$ cat largest\.mjs; sh check\n[^]*\[refused\]\n/);
    expect(stdout).toMatch(
      /Every command was refused\n[^]*"koffi" is not installed[^]*Install the package "bubblewrap"/,
    );
    expect(stdout).toMatch(/^(\d+) of \1 requests rebuilt/m);
    expect(stage.leftovers()).toEqual([]);
  });

  it('explains wrong usage', async () => {
    const stage = new DemoStage();
    expect(await stage.start(['demo', '--loud']).finished).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('capstan demo'),
    });
    expect(await stage.start(['demo', '--help']).finished).toMatchObject({ code: 0, stderr: '' });
  });
});
