import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, describe, test } from 'vitest';
import { isAlive, procFolders, processStartTime, parseProcessStat } from '../../src/adapters/disk/processes.ts';
import { systemPrograms } from '../../src/adapters/exec/find-programs.ts';
import { leftoverProcessEnder, watchdogScript } from '../../src/adapters/exec/leftover-processes.ts';
import {
  landlockProcessMark,
  findLandlockWriter,
  createOverlapTest,
} from '../../src/adapters/gather/config/landlock-writers.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

/** From a process of Linux: its name, its state and how many threads it has vary. */
const stat = (name: string, state: string, threads: number): string =>
  `2473 (${name}) ${state} 2468 2468 31057 0 -1 4227084 2950 6521 1 0 9 1 5 3 20 0 ${threads} 0 236300 0 0 1844674\n`;

test.each([
  ['R', 1, true],
  ['S', 7, true],
  ['Z', 1, false],
  ['X', 0, false],
  ['Z', 2, true],
  ['X', 2, true],
])('a process with the state %s and %d threads', (state, threads, lives) => {
  for (const name of ['sh', 'a) R 1 1 (b']) {
    const expected = { name, group: '2468', state, isAlive: lives, ticks: '236300' };
    expect(parseProcessStat(stat(name, state, threads))).toEqual(expected);
  }
});

test('what is no status of a process is none', () => {
  expect(['', 'x', '1 (sh) R 1'].map(parseProcessStat)).toEqual([undefined, undefined, undefined]);
});

const python = '/usr/bin/python3';
const problem =
  process.platform === 'linux' ? (existsSync(python) ? undefined : `${python} is missing`) : 'only Linux shows this';

/** Its first thread ends, and another one waits. `first` runs before that. */
const script = (first: string): string => `
import ctypes, os, threading, time
libc = ctypes.CDLL(None)
${first}
def work():
    while ') Z ' not in open('/proc/%d/stat' % os.getpid()).read(): time.sleep(0.01)
    os.write(1, b'up')
    time.sleep(60)
threading.Thread(target=work).start()
libc.syscall({'x86_64': 60, 'aarch64': 93}[os.uname().machine], 0)
`;

async function headless(env: NodeJS.ProcessEnv = {}, first = ''): Promise<ChildProcess & { readonly pid: number }> {
  const child = spawn(python, ['-c', script(first)], { detached: true, env, stdio: ['ignore', 'pipe', 'inherit'] });
  whenTestEnds(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child as ChildProcess & { readonly pid: number };
}

const named = problem === undefined ? '' : ` (${problem})`;

describe.skipIf(problem !== undefined)(`a process whose first thread has ended${named}`, () => {
  test('is alive until its last thread ends', async () => {
    const child = await headless();
    const { pid } = child;
    expect(readFileSync(`/proc/${pid}/status`, 'latin1')).toMatch(/^State:\s+Z/m);
    expect(isAlive(pid)).toBe(true);
    expect(processStartTime(pid)).toMatch(/^\S+ \d+$/);
    expect(procFolders(pid)).toContain(`/proc/${pid}/task/${pid}`);
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(isAlive(pid)).toBe(false);
    expect(processStartTime(pid)).toBeUndefined();
    expect(procFolders(process.pid)).toEqual([`/proc/${process.pid}`]);
  });

  test('is seen as one that may write a project under Landlock', async () => {
    const home = mkdtempSync(join(tmpdir(), 'capstan-headless-'));
    whenTestEnds(() => rmSync(home, { recursive: true, force: true }));
    mkdirSync(join(home, 'work'));
    const mark = landlockProcessMark(home);
    const { pid } = await headless(
      {},
      `import resource
resource.setrlimit(resource.RLIMIT_MSGQUEUE, (${mark}, ${mark}))
resource.setrlimit(15, (${2 ** 40 - mark}, ${2 ** 40 - mark}))
libc.prctl(38, 1, 0, 0, 0)`,
    );
    expect(findLandlockWriter(home, [createOverlapTest(join(home, 'work'))])).toEqual({ pid });
  });

  test('is ended by its number or by its mark', async () => {
    const [first, second] = [await headless({ CAPSTAN_COMMAND: 'h.1' }), await headless({ CAPSTAN_COMMAND: 'h.2' })];
    const startedAt = processStartTime(first.pid) ?? '';
    expect(await leftoverProcessEnder.end({ pid: first.pid, startedAt, mark: 'h.0' })).toBe('ended');
    expect(await leftoverProcessEnder.end({ pid: process.pid, startedAt: 'another', mark: 'h.2' })).toBe('ended');
    expect([isAlive(first.pid), isAlive(second.pid)]).toEqual([false, false]);
  });

  test('is ended by the warden', async () => {
    const child = await headless({ CAPSTAN_COMMAND: 'h.3.' });
    const warden = spawn('/bin/sh', ['-c', watchdogScript('linux', systemPrograms)], {
      env: {},
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    warden.stdin.end('+ h.3.\n');
    await once(warden, 'close');
    await expect.poll(() => isAlive(child.pid)).toBe(false);
  });
});
