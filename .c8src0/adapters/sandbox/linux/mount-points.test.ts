import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { processTable } from '../../exec/leftover-processes.ts';
import { createEmptyMountPoints } from './mount-points.ts';
import { ownProcess } from './mount-lock.ts';

let base = '';
let target = '';

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'capstan-points-'));
  target = join(base, '.codex');
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(base, { recursive: true, force: true });
});

/** One engine. Engines in one process differ by nothing but their holds, as in two processes. */
const engine = () =>
  createEmptyMountPoints({
    registries: [join(base, 'registry')],
    processes: processTable,
    temporaryDirectories: [base],
    lingerMs: 0,
  });

/** The entry that an engine that has died would have written. */
function entryOf(dead: number, folders: readonly string[]): string {
  const startedAt = (processTable.startedAt(process.pid) ?? '').replace(/\d+$/, '1');
  return JSON.stringify({ process: dead, startedAt, processTable: readlinkSync('/proc/self/ns/pid'), folders });
}

function registry(): string {
  return engine().registry as string;
}

test('a folder that a sandbox made goes with its last user', () => {
  const [first, second] = [engine(), engine()];
  const one = first.hold([target]);
  mkdirSync(target);
  const two = first.hold([target]);
  const three = second.hold([target]);
  one.release();
  two.release();
  expect(existsSync(target)).toBe(true);
  three.release();
  expect(existsSync(target)).toBe(false);
  expect(readdirSync(registry())).toEqual([]);
});

test('the folder that was mounted on last goes first, also one of another engine', async () => {
  const [first, second] = [join(base, 'commondir'), join(base, 'refs')];
  const other = engine().hold([first]);
  mkdirSync(first);
  const hold = engine().hold([first, second]);
  mkdirSync(second);
  other.release();
  const gone: (string | null)[] = [];
  const watcher = watch(base, (_, name) => gone.push(name));
  hold.release();
  await expect.poll(() => gone).toEqual(['refs', 'commondir']);
  watcher.close();
});

test('a folder that was there before stays, and so does one with something in it', () => {
  mkdirSync(target);
  const hold = engine().hold([target, join(base, 'new')]);
  mkdirSync(join(base, 'new/full'), { recursive: true });
  hold.release();
  expect([existsSync(target), existsSync(join(base, 'new/full'))]).toEqual([true, true]);
});

test('what a dead engine left behind is taken away by the next, or taken over', () => {
  const dead = spawnSync(process.execPath, ['-e', '']).pid;
  const other = join(base, '.git');
  mkdirSync(target);
  mkdirSync(other);
  writeFileSync(join(registry(), `${dead}-1`), entryOf(dead, [target, other]));
  const hold = engine().hold([target]);
  expect([existsSync(target), existsSync(other)]).toEqual([true, false]);
  hold.release();
  expect(existsSync(target)).toBe(false);
});

test('a lock that its holder took to the grave is removed', () => {
  const dead = spawnSync(process.execPath, ['-e', '']).pid;
  symlinkSync(entryOf(dead, []), join(registry(), 'lock'));
  engine().hold([target]).release();
  expect(readdirSync(registry())).toEqual([]);
});

test('without the lock an engine makes its use known and removes nothing; the next one does', () => {
  vi.spyOn(Atomics, 'wait').mockReturnValue('timed-out');
  const lock = join(registry(), 'lock');
  symlinkSync(JSON.stringify({ ...ownProcess(processTable), turn: 1 }), lock);
  const hold = engine().hold([target]);
  mkdirSync(target);
  const [name = ''] = readdirSync(registry()).filter((found) => found !== 'lock');
  expect(JSON.parse(readFileSync(join(registry(), name), 'utf8'))).toMatchObject({ folders: [target], uses: [target] });
  hold.release();
  expect([existsSync(target), readdirSync(registry())]).toEqual([true, [name, 'lock', 'lock-passed']]);
  rmSync(lock);
  // The first that gets the lock cannot know whether the one without it has written its entry.
  for (const kept of [true, false]) {
    engine()
      .hold([join(base, '.git')])
      .release();
    expect(existsSync(target)).toBe(kept);
  }
  expect(readdirSync(registry())).toEqual([]);
});

test('a folder in use stays, also when the engine that uses it did not make it', () => {
  const dead = spawnSync(process.execPath, ['-e', '']).pid;
  mkdirSync(target);
  const hold = engine().hold([target]);
  // The entry is of an engine that this one did not see when it began.
  writeFileSync(join(registry(), `${dead}-1`), entryOf(dead, [target]));
  engine()
    .hold([join(base, '.git')])
    .release();
  expect(existsSync(target)).toBe(true);
  hold.release();
});

test('a table of processes that cannot be read now ends no use', () => {
  const processes = { startedAt: vi.fn<(pid: number) => string | undefined>(processTable.startedAt) };
  const points = createEmptyMountPoints({
    registries: [join(base, 'registry')],
    processes,
    temporaryDirectories: [],
    lingerMs: 0,
  });
  const hold = engine().hold([target]);
  mkdirSync(target);
  processes.startedAt.mockReturnValue(undefined);
  points.hold([join(base, '.git')]).release();
  expect([existsSync(target), readdirSync(registry()).length]).toEqual([true, 1]);
  hold.release();
});

test('what a writer left that was killed before its entry was whole is removed after a while', () => {
  const [old, fresh] = ['1-a.new', '1-b.new'].map((name) => join(registry(), name));
  const empty = join(registry(), '1-c');
  for (const path of [old!, fresh!, empty]) writeFileSync(path, '', { mode: 0o600 });
  for (const path of [old!, empty]) utimesSync(path, 1, 1);
  engine().hold([target]).release();
  expect(readdirSync(registry())).toEqual(['1-b.new']);
});

test('a registry that was tidied away is made again', () => {
  const points = engine();
  rmSync(registry(), { recursive: true });
  const hold = points.hold([target]);
  mkdirSync(target);
  hold.release();
  expect(existsSync(target)).toBe(false);
});

test('a registry that others can write is not trusted: then only this engine counts', () => {
  chmodSync(registry(), 0o777);
  const points = engine();
  expect(points.registry).toBeUndefined();
  const [one, two] = [points.hold([target]), points.hold([target])];
  mkdirSync(target);
  one.release();
  expect(existsSync(target)).toBe(true);
  two.release();
  expect(existsSync(target)).toBe(false);
});
