import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { makeAnonymousPipes, makeNamedPipes, openBothEnds, type PipeEnds } from '../../src/adapters/exec/pipes.ts';
import { createNodeSpawn } from '../../src/adapters/exec/node-spawn.ts';

let base = '';
let victim = '';
beforeEach(() => {
  base = mkdtempSync('/var/tmp/capstan-attack-');
  victim = join(base, 'victim');
  writeFileSync(victim, 'untouched');
});
afterEach(() => {
  if (readFileSync(victim, 'utf8') !== 'untouched') throw new Error('The file was written.');
  rmSync(base, { recursive: true, force: true });
});

function fifo(name: string): string {
  const path = join(base, name);
  execFileSync('mkfifo', ['-m', '600', path]);
  return path;
}

function close(...pipes: readonly PipeEnds[]): void {
  for (const { readEnd, writeEnd } of pipes) {
    closeSync(readEnd);
    closeSync(writeEnd);
  }
}

const openFiles = () => readdirSync('/proc/self/fd').length;

describe.runIf(process.platform === 'linux')('pipes of commands on Linux', () => {
  const clock = { now: () => performance.now(), sleep: () => Promise.resolve() };

  test('have no name that a command could swap for a link', async () => {
    const spawn = createNodeSpawn({ clock, runFolder: join(base, 'run') });
    const argv = ['/bin/sh', '-c', 'readlink /proc/$$/fd/1; readlink /proc/$$/fd/2'];
    const command = { kind: 'runnable', argv, cwd: '/', env: {}, files: [], cleanup: async () => {} } as const;
    const limits = { timeoutMs: 10_000, outputBytes: 1000 };
    const end = await spawn.run(command, limits, { signal: new AbortController().signal });
    expect(end).toMatchObject({
      kind: 'exited',
      output: { text: expect.stringMatching(/^pipe:\[(\d+)\]\npipe:\[\1\]\n$/) as string },
    });
    expect(existsSync(join(base, 'run'))).toBe(false);
  });

  test('are each a pipe of their own, and no other process holds an end', async () => {
    const pipes = await makeAnonymousPipes(8);
    const names = pipes.map(({ readEnd }) => readlinkSync(`/proc/self/fd/${readEnd}`));
    expect(new Set(names).size).toBe(8);
    const holders = () => readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && holds(pid, names));
    await vi.waitUntil(() => holders().length === 1, { timeout: 20_000, interval: 5 });
    expect(holders()).toEqual([String(process.pid)]);
    close(...pipes);
  });

  function holds(pid: string, names: readonly string[]): boolean {
    return filesOf(pid).some((file) => names.includes(file));
  }

  function filesOf(pid: string): readonly string[] {
    try {
      return readdirSync(`/proc/${pid}/fd`).map((name) => {
        try {
          return readlinkSync(`/proc/${pid}/fd/${name}`);
        } catch {
          // The list itself was read through one that is closed by now.
          return '';
        }
      });
    } catch {
      // Another user's, or ended in the meantime.
      return [];
    }
  }
});

describe('both ends of a named pipe are opened, or none', () => {
  const attempt = (toRead: string, toWrite: string) => () =>
    close(openBothEnds({ toRead, toWrite: () => toWrite }, constants.O_NOFOLLOW));

  test('a pipe that stays what it is can be opened', () => {
    const pipe = fifo('pipe');
    expect(attempt(pipe, pipe)).not.toThrow();
  });

  test.each([
    ['a link to a file stands in its place', () => attempt(link('link', victim), victim)],
    ['a link to the pipe stands in its place', () => attempt(link('link', fifo('pipe')), join(base, 'link'))],
    ['a file stands in its place', () => attempt(victim, victim)],
    ['it is swapped for a file before the writer opens it', () => attempt(fifo('pipe'), victim)],
    ['it is swapped for a link before the writer opens it', () => attempt(fifo('pipe'), link('link', victim))],
    ['it is swapped for another pipe that has a reader', () => swapped()],
  ])('%s', (_, attack) => {
    const attempted = attack();
    const before = openFiles();
    expect(attempted).toThrow(/ELOOP|no pipe of ours|two pipes/);
    expect(openFiles()).toBe(before);
  });

  function link(name: string, target: string): string {
    symlinkSync(target, join(base, name));
    return join(base, name);
  }

  /** Opening the second pipe for writing does not wait, because we read from it ourselves. */
  function swapped(): () => void {
    const [first, second] = [fifo('first'), fifo('second')];
    const held = openBothEnds({ toRead: second, toWrite: () => second }, constants.O_NOFOLLOW);
    onTestFinished(() => close(held));
    return attempt(first, second);
  }
});

describe('pipes that need a name', () => {
  test('are made in the run folder of the engine and leave nothing there', async () => {
    const run = join(base, 'home/run');
    const pipes = await makeNamedPipes(run, 3);
    close(...pipes);
    expect(pipes.length).toBe(3);
    expect(readdirSync(run)).toEqual([]);
  });

  test.each([
    ['a link', (run: string) => symlinkSync(base, run)],
    ['open to others', (run: string) => (mkdirSync(run), chmodSync(run, 0o777))],
    ['a file', (run: string) => renameSync(join(base, 'file'), run)],
  ])('are not made in a run folder that is %s', async (_, plant) => {
    writeFileSync(join(base, 'file'), '');
    plant(join(base, 'run'));
    await expect(makeNamedPipes(join(base, 'run'), 1)).rejects.toThrow(/is open to others|EEXIST/);
  });

  test('what a killed process left is swept; what a living one has, a link and other names are not', async () => {
    const run = join(base, 'run');
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    const treasure = join(base, 'treasure');
    for (const folder of [`pipes-${dead}-left`, `pipes-${process.pid}-ours`, `other-${dead}-name`]) {
      mkdirSync(join(run, folder), { recursive: true, mode: 0o700 });
    }
    chmodSync(run, 0o700);
    mkdirSync(treasure);
    writeFileSync(join(treasure, 'gold'), '');
    symlinkSync(treasure, join(run, `pipes-${dead}-link`));
    close(...(await makeNamedPipes(run, 1)));
    expect(readdirSync(run).toSorted()).toEqual(
      [`other-${dead}-name`, `pipes-${dead}-link`, `pipes-${process.pid}-ours`].toSorted(),
    );
    expect(readdirSync(treasure)).toEqual(['gold']);
  });
});
