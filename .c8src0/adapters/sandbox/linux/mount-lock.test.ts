import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { processTable } from '../../exec/leftover-processes.ts';
import { type MountLock, type MountProcess, ownProcess, markMountLockPassed, takeMountLock } from './mount-lock.ts';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'capstan-lock-'));
  path = join(folder, 'lock');
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const self = ownProcess(processTable);
const take = (patienceMs: number) => takeMountLock(path, { self, processes: processTable }, patienceMs);
const nameOf = (holder: MountProcess) => JSON.stringify({ ...holder, turn: 1 });
const endedProcess = (): MountProcess => ({ ...self, process: spawnSync(process.execPath, ['-e', '']).pid });

/** A process that runs until the test ends. */
function runningProcess(): MountProcess {
  const child = spawn('sleep', ['60']);
  onTestFinished(() => void child.kill());
  return { ...self, process: child.pid ?? 0, startedAt: processTable.startedAt(child.pid ?? 0) ?? '' };
}

test('the lock of a running process is left alone, and nothing is given back that was not taken', () => {
  const name = nameOf(runningProcess());
  symlinkSync(name, path);
  expect(take(100)).toBe('busy');
  expect(readlinkSync(path)).toBe(name);
});

test('the lock of a process that has ended is taken over, also when it ended while taking one over', () => {
  symlinkSync(nameOf(endedProcess()), path);
  symlinkSync(nameOf(endedProcess()), `${path}-left`);
  (take(100) as MountLock).release();
  expect(readdirSync(folder)).toEqual([]);
});

test('the lock of an engine that has the number of a process that runs by now is taken over', () => {
  symlinkSync(nameOf({ ...runningProcess(), startedAt: self.startedAt.replace(/\d+$/, '1') }), path);
  expect(take(100)).toMatchObject({ release: expect.any(Function) });
});

test.each<[string, () => void]>([
  ['in another container', () => symlinkSync(nameOf({ ...self, processTable: 'pid:[1]' }), path)],
  ['of an earlier version, which made a folder', () => mkdirSync(path)],
])('a lock %s is left alone for a while', (_, lock) => {
  lock();
  // The pauses are counted: nothing has to wait here.
  vi.spyOn(Atomics, 'wait').mockReturnValue('timed-out');
  expect(take(2_000)).toBe('busy');
  (take(10_000) as MountLock).release();
  expect(readdirSync(folder)).toEqual([]);
});

test('a holder learns that another engine continued without the lock', () => {
  const lock = take(0) as MountLock;
  expect(lock.isRespected()).toBe(true);
  markMountLockPassed(path, { self, processes: processTable });
  expect(lock.isRespected()).toBe(false);
  lock.release();
  expect(readdirSync(folder)).toEqual([]);
});

test('a holder whose lock was taken over leaves that of the next alone', () => {
  const lock = take(0) as MountLock;
  rmSync(path);
  symlinkSync('another', path);
  expect(lock.isRespected()).toBe(false);
  lock.release();
  expect(readlinkSync(path)).toBe('another');
});

test('a folder that is missing or refuses is said to do so', () => {
  rmSync(folder, { recursive: true });
  expect(take(100)).toBe('no folder');
  path = '/proc/lock';
  expect(take(100)).not.toMatchObject({ release: expect.any(Function) });
});
