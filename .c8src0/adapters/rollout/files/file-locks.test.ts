import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Lock, LockHeld } from '../../../ports/files.ts';
import { systemPrograms } from '../../exec/find-programs.ts';
import { createFlock, type LockProgram, lockPrograms } from './file-locks.ts';

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const clock = { now: () => Date.parse('2026-11-15T10:00:00.000Z'), sleep };
const flock = createFlock({ clock, programs: systemPrograms });

let folder = '';
let path = '';
const children: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'capstan-lock-'));
  path = join(folder, 'thread.lock');
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

/** Starts a process and waits until it says that it is ready. */
async function started(command: string, args: readonly string[]): Promise<ChildProcess> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout, 'data');
  return child;
}

/** Another program that holds the lock. */
const foreignHolder = (seconds: number): Promise<ChildProcess> =>
  started('sh', ['-c', `exec 3>>"$0" && flock -x 3 && echo ready && exec sleep ${seconds}`, path]);

function taken(result: Lock | LockHeld): Lock {
  if (result.kind === 'lock') return result;
  throw new Error(`held by ${result.owner}`);
}

describe('the writer lock', () => {
  test('has one holder, who signs it', async () => {
    const lock = taken(await flock.take(path));
    const owner = `capstan pid ${process.pid} since 2026-11-15T10:00:00.000Z`;
    expect(await readFile(path, 'utf8')).toMatch(new RegExp(`^${owner} in \\S+ \\S+\n$`));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await flock.take(path)).toEqual({ kind: 'held', owner });
    await Promise.all([lock.release(), lock.release()]);
    expect(await readFile(path, 'utf8')).toBe('');
    await taken(await flock.take(path)).release();
  });

  test('is refused to a second process, and free when the first is killed', async () => {
    const module = JSON.stringify(new URL('./file-locks.ts', import.meta.url).href);
    const programs = JSON.stringify(new URL('../../exec/find-programs.ts', import.meta.url).href);
    const script = `const { createFlock } = await import(${module});
      const { systemPrograms } = await import(${programs});
      const lock = await createFlock({ programs: systemPrograms, clock: { now: Date.now, sleep: async () => {} } }).take(${JSON.stringify(path)});
      console.log(lock.kind); setInterval(() => lock, 1000);`;
    const child = await started(process.execPath, ['--input-type=module', '-e', script]);
    expect(await flock.take(path)).toEqual({
      kind: 'held',
      owner: expect.stringMatching(new RegExp(`^capstan pid ${child.pid} since 20[-:.TZ0-9]+$`)),
    });
    child.kill('SIGKILL');
    await once(child, 'close');
    await taken(await flock.take(path)).release();
  });

  test('respects another program, and does not name one who is gone', async () => {
    await writeFile(path, 'capstan pid 999999999 since 2026-01-01T00:00:00.000Z\n');
    await foreignHolder(20);
    expect(await flock.take(path)).toEqual({ kind: 'held' });
  });

  test('is seen by another program', async () => {
    const lock = taken(await flock.take(path));
    const tryLock = async (): Promise<unknown> => {
      const [code] = await once(spawn('flock', ['-n', '-x', path, 'true']), 'close');
      return code;
    };
    expect(await tryLock()).toBe(1);
    await lock.release();
    expect(await tryLock()).toBe(0);
  });

  test('waits out a lock that is held for a moment', async () => {
    await foreignHolder(0.04);
    expect((await flock.take(path)).kind).toBe('lock');
  });

  test('does not continue in children of the holder', async () => {
    const lock = taken(await flock.take(path));
    await started('sh', ['-c', 'echo ready; exec sleep 20']);
    await lock.release();
    expect((await flock.take(path)).kind).toBe('lock');
  });

  test('is taken again when the file was removed meanwhile', async () => {
    // Once, after we opened the file and before it is locked.
    const script = `[ -e "$0.swept" ] || { rm "$0"; : > "$0.swept"; }; exec flock -n -x 3`;
    const sweeping = createFlock({
      clock,
      programs: systemPrograms,
      lockers: [{ command: 'sh', args: ['-c', script, path] }],
    });
    const lock = taken(await sweeping.take(path));
    expect((await flock.take(path)).kind).toBe('held');
    await lock.release();
  });

  test('brings its folder along', async () => {
    const lock = await flock.take(join(folder, 'missing', 'x.lock'));
    expect(lock.kind).toBe('lock');
    expect(await flock.take(join(folder, 'missing', 'x.lock'))).toMatchObject({ kind: 'held' });
    if (lock.kind === 'lock') await lock.release();
  });
});

describe('the programs that lock', () => {
  const missing: LockProgram = { command: 'capstan-has-no-such-program', args: [] };

  test('are interchangeable', async () => {
    const perl = lockPrograms.filter((program) => program.command === 'perl');
    const byPerl = createFlock({ clock, programs: systemPrograms, lockers: [missing, ...perl] });
    const lock = taken(await byPerl.take(path));
    expect((await byPerl.take(path)).kind).toBe('held');
    expect((await flock.take(path)).kind).toBe('held');
    await lock.release();
    const other = taken(await flock.take(path));
    expect((await byPerl.take(path)).kind).toBe('held');
    await other.release();
  });

  test('may be missing, which has a remedy', async () => {
    await expect(createFlock({ clock, programs: systemPrograms, lockers: [missing] }).take(path)).rejects.toMatchObject(
      {
        code: 'lock-unavailable',
        next: expect.stringContaining('util-linux'),
      },
    );
  });

  test('may fail, which is not the same as a lock that is held', async () => {
    const failing: LockProgram = { command: 'sh', args: ['-c', 'echo no locks here >&2; exit 71'] };
    await expect(createFlock({ clock, programs: systemPrograms, lockers: [failing] }).take(path)).rejects.toMatchObject(
      {
        code: 'lock-failed',
        message: expect.stringContaining('sh ended with 71. no locks here'),
      },
    );
  });
});
