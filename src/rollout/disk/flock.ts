import { dirname } from 'node:path';
import type { Clock } from '../../ports/clock.ts';
import type { Lock, LockHeld, Locks } from '../../ports/files.ts';
import type { Programs } from '../../ports/program-files.ts';
import { errorCode, fileSystem as fs } from '../../disk/file-system.ts';
import { firstMissing } from '../../disk/folders.ts';
import { isAlive } from '../../disk/processes.ts';
import { NotRegular, openRegular, withRegular } from '../../disk/regular-file.ts';
import { lockOpenFile, lockPrograms, type LockProgram } from './lock-program.ts';

export interface FlockOptions {
  readonly clock: Clock;
  /** Finds the tools of the system. */
  readonly programs: Programs;
  /** Tools that can lock, best first. */
  readonly lockers?: readonly LockProgram[];
}

/**
 * How long to wait before each further try. Codex locks every stale lock file for an instant when it sweeps them away,
 * so a lock that is busy once need not have an owner.
 */
const pauses = [10, 20, 30, 40];

/**
 * Locks that other programs see too: `flock` on the file, as Codex does it. The few calls around the program that locks
 * are synchronous, so that it runs as soon as `take` was called and the caller has its time.
 */
export function createFlock(options: FlockOptions): Locks {
  const trying = { lockers: lockPrograms, ...options };
  const { clock } = options;
  return {
    async take(path) {
      let answer = await tryOnce(path, trying);
      for (const pause of pauses) {
        if (answer.kind === 'lock') break;
        await clock.sleep(pause);
        answer = await tryOnce(path, trying);
      }
      return answer;
    },
  };
}

async function tryOnce(path: string, { clock, programs, lockers }: Required<FlockOptions>): Promise<Lock | LockHeld> {
  makeFolder(dirname(path));
  // A lock may stand beside a file that commands can reach: a link there must not have us write elsewhere.
  const file = openLock(path);
  let taken = false;
  try {
    if ((await lockOpenFile(file, lockers, programs)) === 'held') return heldBy(file);
    // Another process may have removed the file between opening and locking. Then our lock guards a file that no
    // process finds.
    taken = nameOf(file, path) === 'our file';
    if (!taken) return { kind: 'held' };
  } finally {
    if (!taken) fs.closeSync(file);
  }
  // To take it takes milliseconds: no two have the same.
  const epoch = clock.now();
  sign(file, `capstan pid ${process.pid} since ${new Date(epoch).toISOString()}\n`);
  let released: Promise<void> | undefined;
  const release = async (): Promise<void> => {
    sign(file, '');
    fs.closeSync(file);
  };
  return {
    kind: 'lock',
    epoch,
    // As long as no file has the name, no other process has a lock on one.
    isLost: async () => released === undefined && nameOf(file, path) === 'another file',
    // The file stays. To remove it, one must be sure that no process has just opened it to lock it, or two writers hold
    // locks on two files of one name. Codex has a second lock for that; an empty file does no harm, and Codex sweeps
    // it.
    release: () => (released ??= release()),
  };
}

function openLock(path: string): number {
  try {
    return openRegular(path, { links: 'refused', flags: fs.constants.O_RDWR | fs.constants.O_CREAT, mode: 0o600 }).file;
  } catch (error) {
    throw error instanceof NotRegular ? new Error(`${path} is not a file.`, { cause: error }) : error;
  }
}

/** Puts the one line about the holder into the file. It is a courtesy to whom we refuse, so it may fail. */
function sign(file: number, text: string): void {
  try {
    fs.ftruncateSync(file, 0);
    if (text !== '') fs.writeSync(file, text, 0);
  } catch {
    // A full disk: the lock holds all the same.
  }
}

function heldBy(file: number): LockHeld {
  const buffer = Buffer.alloc(200);
  const bytesRead = fs.readSync(file, buffer, 0, buffer.length, 0);
  const owner = /^capstan pid (\d+) since [\w:.-]+/.exec(buffer.toString('latin1', 0, bytesRead));
  // A line without its process was left by a crash; the lock has another holder, who wrote nothing.
  if (owner !== null && isAlive(Number(owner[1]))) return { kind: 'held', owner: owner[0] };
  const holder = process.platform === 'linux' ? lockHolder(file) : undefined;
  return holder === undefined ? { kind: 'held' } : { kind: 'held', owner: holder };
}

/** Who holds a lock, as far as it can be seen without taking it. Undefined: no one that is known. */
export function lockOwner(path: string): string | undefined {
  try {
    return withRegular(path, { links: 'refused' }, (file) => heldBy(file).owner);
  } catch {
    // No one has locked it yet, or it cannot be read.
    return undefined;
  }
}

/** Who the system says has the lock. It names the process that took it, which may have handed it on and ended. */
function lockHolder(file: number): string | undefined {
  try {
    const { ino } = fs.fstatSync(file, { bigint: true });
    for (const line of fs.readFileSync('/proc/locks', 'latin1').split('\n')) {
      const [, kind, , , pid = '', place = ''] = line.trim().split(/\s+/);
      if (kind !== 'FLOCK' || place.split(':')[2] !== String(ino) || Number(pid) <= 0) continue;
      return `${fs.readFileSync(`/proc/${pid}/comm`, 'latin1').trim()} pid ${pid}`;
    }
  } catch {
    // A courtesy: without it the holder is just another program.
  }
  return undefined;
}

/** What the name leads to. */
function nameOf(file: number, path: string): 'our file' | 'another file' | 'nothing' {
  const named = fs.statSync(path, { bigint: true, throwIfNoEntry: false });
  if (named === undefined) return 'nothing';
  const ours = fs.fstatSync(file, { bigint: true });
  return ours.ino === named.ino && ours.dev === named.dev ? 'our file' : 'another file';
}

function makeFolder(path: string): void {
  const options = { recursive: true, mode: 0o700 };
  try {
    fs.mkdirSync(path, options);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    fs.mkdirSync(firstMissing(path), { mode: 0o700 });
    fs.mkdirSync(path, options);
  }
}
