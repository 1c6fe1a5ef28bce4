import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Lock, LockHeld } from '../../../ports/files.ts';
import { systemPrograms } from '../../exec/find-programs.ts';
import { createFlock, type LockProgram } from './file-locks.ts';

/** A clock that stands still until the test lets time pass. */
class ManualClock {
  #now = Date.parse('2026-11-17T10:00:00.000Z');
  #sleepers: { readonly at: number; readonly wake: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#sleepers.push({ at: this.#now + milliseconds, wake: resolve });
    signal?.addEventListener('abort', () => resolve());
    return promise;
  }

  pass(milliseconds: number): void {
    this.#now += milliseconds;
    for (const { at, wake } of this.#sleepers) if (at <= this.#now) wake();
    this.#sleepers = this.#sleepers.filter(({ at }) => at > this.#now);
  }
}

const ours = `capstan pid ${process.pid} since 2026-11-17T10:00:00.000Z`;
const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
const here = `${boot}/${readlinkSync('/proc/self/ns/pid')}`;
const holds = new RegExp(`^${ours} in \\S+ \\S+\n$`);
const begins = new RegExp(`^${ours} begins \\S+ \\S+\n$`);
const children: ChildProcess[] = [];
let folder = '';
let path = '';
let clock = new ManualClock();
let flock = createFlock({ clock, programs: systemPrograms });
/** Another process of Capstan that waits for nothing. */
let other = flock;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'capstan-lock-'));
  path = join(folder, 'thread.lock');
  clock = new ManualClock();
  flock = createFlock({ clock, programs: systemPrograms });
  other = createFlock({ clock: { now: () => clock.now(), sleep: async () => {} }, programs: systemPrograms });
  // Locks work in this folder.
  await taken(await other.take(join(folder, 'earlier.lock'))).release();
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

/** Another program that goes by `flock` alone. */
async function foreignHolder(): Promise<void> {
  const child = spawn('sh', ['-c', 'exec 3>>"$0" && flock -n -x 3 && echo ready && exec sleep 20', path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [data] = (await Promise.race([once(child.stdout, 'data'), once(child, 'close')])) as unknown[];
  if (!Buffer.isBuffer(data)) throw new Error('The lock is held.');
}

function taken(result: Lock | LockHeld): Lock {
  if (result.kind === 'lock') return result;
  throw new Error(`held by ${result.owner}`);
}

/** Until the lock is one that other programs see. */
async function locked(lock: Lock, isLost = false): Promise<void> {
  clock.pass(100);
  await new Promise((resolve) => setImmediate(resolve));
  // Asked now, it waits for the program that locks.
  expect(await lock.isLost()).toBe(isLost);
}

describe('the lock of a thread that begins', () => {
  test('runs no program, and keeps other processes of Capstan away at once', async () => {
    const failing: LockProgram = { command: 'sh', args: ['-c', 'exit 71'] };
    const lock = taken(await createFlock({ clock, programs: systemPrograms, lockers: [failing] }).takeNew(path));
    expect(await lock.isLost()).toBe(false);
    expect(await readFile(path, 'utf8')).toMatch(begins);
    expect(await other.take(path)).toEqual({ kind: 'held', owner: ours });
    await Promise.all([lock.release(), lock.release()]);
    expect(await readFile(path, 'utf8')).toBe('');
    await taken(await other.take(path)).release();
  });

  test('is seen by other programs soon after', async () => {
    const lock = taken(await flock.takeNew(path));
    await locked(lock);
    expect(await readFile(path, 'utf8')).toMatch(holds);
    await expect(foreignHolder()).rejects.toThrow('held');
    expect(await other.take(path)).toEqual({ kind: 'held', owner: ours });
    await lock.release();
    await foreignHolder();
  });

  test('is lost to a program that locked the file before, and stays lost when that has gone', async () => {
    const lock = taken(await createFlock({ clock: impatient(), programs: systemPrograms }).takeNew(path));
    await foreignHolder();
    clock.pass(100);
    await expect.poll(() => lock.isLost()).toBe(true);
    for (const child of children.splice(0)) child.kill('SIGKILL');
    expect(await lock.isLost()).toBe(true);
    await lock.release();
  });

  test('is lost to a process that has signed it, whether that has left or not', async () => {
    const lock = taken(await flock.takeNew(path));
    await writeFile(path, '');
    expect(await lock.isLost()).toBe(true);
    await locked(lock, true);
    await lock.release();
    await taken(await other.take(path)).release();
  });

  test('is not disturbed by those who look', async () => {
    const lock = taken(await flock.takeNew(path));
    const looks = Array.from({ length: 10 }, () => other.take(path));
    await locked(lock);
    expect((await Promise.all(looks)).map(({ kind }) => kind)).toEqual(Array.from({ length: 10 }, () => 'held'));
    await lock.release();
  });

  test('survives a sweep that removed its file', async () => {
    const lock = taken(await createFlock({ clock: impatient(), programs: systemPrograms }).takeNew(path));
    await rm(path);
    await locked(lock);
    await expect(foreignHolder()).rejects.toThrow('held');
    await lock.release();
  });

  test('says at the next question that the file cannot be locked, and then binds no process', async () => {
    const failing: LockProgram = { command: 'sh', args: ['-c', 'echo no locks here >&2; exit 71'] };
    const lock = taken(await createFlock({ clock, programs: systemPrograms, lockers: [failing] }).takeNew(path));
    clock.pass(100);
    await expect
      .poll(async () => lock.isLost().catch((error: unknown) => error))
      .toMatchObject({ code: 'lock-failed' });
    await lock.release();
    await taken(await other.take(path)).release();
  });

  test('is taken at once in a folder in which no lock was taken yet', async () => {
    const failing: LockProgram = { command: 'sh', args: ['-c', 'exit 71'] };
    const fresh = createFlock({ clock, programs: systemPrograms, lockers: [failing] });
    await expect(fresh.takeNew(join(folder, 'new', 'thread.lock'))).rejects.toMatchObject({ code: 'lock-failed' });
  });

  test('is not begun where no program can lock', async () => {
    const missing: LockProgram = { command: 'capstan-has-no-such-program', args: [] };
    const none = createFlock({ clock, programs: systemPrograms, lockers: [missing] });
    await expect(none.takeNew(path)).rejects.toMatchObject({ code: 'lock-unavailable' });
  });

  test.each([
    ['died', `capstan pid 999999999 since 2026-11-17T10:00:00.000Z begins ${here} 1\n`],
    ['had our number before us', `${ours} begins ${here} 1\n`],
    ['signed in an earlier form', `${ours} begins\n`],
  ])('of a process that %s binds no process', async (_, text) => {
    await writeFile(path, text);
    await taken(await other.take(path)).release();
    await writeFile(path, text);
    const lock = taken(await flock.takeNew(path));
    expect(await readFile(path, 'utf8')).toMatch(holds);
    await lock.release();
  });

  test('of a process that cannot be looked for binds for a limited time', async () => {
    await writeFile(path, 'capstan pid 1 since 2026-11-17T10:00:00.000Z begins pid:[1] 1\n');
    let slept = 0;
    const waiting = createFlock({
      clock: {
        now: () => clock.now(),
        sleep: async (milliseconds) => void ((slept += milliseconds), clock.pass(milliseconds)),
      },
      programs: systemPrograms,
    });
    await taken(await waiting.take(path)).release();
    expect(slept).toBe(2000);
    // A clock that was set back does not make it longer.
    await writeFile(path, 'capstan pid 1 since 2027-11-17T10:00:00.000Z begins pid:[1] 1\n');
    await taken(await other.take(path)).release();
  });

  test('holds as long as its process lives, also one that was stopped', async () => {
    const lock = taken(await flock.takeNew(path));
    clock.pass(3_600_000);
    expect(await other.take(path)).toEqual({ kind: 'held', owner: ours });
    await lock.release();
  });

  test('is taken before a line is written late', async () => {
    // Nothing wakes it, as if the process had been stopped.
    const stopped = createFlock({
      clock: { now: () => clock.now(), sleep: () => new Promise(() => {}) },
      programs: systemPrograms,
    });
    const lock = taken(await stopped.takeNew(path));
    clock.pass(5000);
    expect(await lock.isLost()).toBe(false);
    await expect(foreignHolder()).rejects.toThrow('held');
    await lock.release();
  });
});

/** Pauses between tries take no time, the wait before the first does. */
function impatient() {
  let isFirst = true;
  return {
    now: () => clock.now(),
    sleep: (milliseconds: number, signal?: AbortSignal) => {
      if (!isFirst) return Promise.resolve();
      isFirst = false;
      return clock.sleep(milliseconds, signal);
    },
  };
}
