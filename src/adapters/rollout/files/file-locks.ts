import { valueOr } from '../../../base/objects.ts';
import type { Lock, LockHeld, Locks } from '../../../ports/files.ts';
import type { Clock, ProgramFinder } from '../../../ports/system.ts';
import { Fault } from '../../../protocol/outcome.ts';
import { errorCode, fileSystem as fs, makeFolders, readSystemFile } from '../../disk/file-system.ts';
import { dirname, join } from 'node:path';
import { isAlive, processNamespace, readProcessStat } from '../../disk/processes.ts';
import { NotRegularFileError, openRegularFile, withRegularFile } from '../../disk/regular-files.ts';

/** Codex briefly locks stale lock files when it sweeps them: a lock that is busy once need not have an owner. */
const pauses = [10, 20, 30, 40];
const begunPause = 50;
/** Marks a folder in which a lock could be taken. */
const proof = '.capstan-locks-work';
type Tried = Lock | LockHeld | { readonly kind: 'begun' };

/** `flock` on the file, as in Codex. `take` waits for nothing before the locking program, so it starts at once. */
export function createFlock(options: FlockOptions): Locks {
  const trying = { lockers: lockPrograms, ...options };
  const { clock } = options;
  const take = async (path: string): Promise<Lock | LockHeld> => {
    let answer = await tryOnce(path, trying);
    for (let round = 0; answer.kind === 'begun' && round * begunPause <= beginningOwnerValidMs; round++) {
      await clock.sleep(begunPause);
      answer = await tryOnce(path, trying);
    }
    for (const pause of pauses) {
      if (answer.kind === 'lock') return answer;
      await clock.sleep(pause);
      answer = await tryOnce(path, trying);
    }
    return answer.kind === 'begun' ? { kind: 'held' } : answer;
  };
  return {
    take,
    async takeNew(path) {
      // The user learns of a disk without locks before anything is sent.
      return (hasLocks(path) ? beginLock(path, trying) : undefined) ?? take(path);
    },
  };
}

async function tryOnce(path: string, { clock, programs, lockers }: Required<FlockOptions>): Promise<Tried> {
  const file = openLock(path);
  let taken = false;
  /** The answer if a Capstan process has signed the file to lock it soon: our try must not get in its way. */
  const isSaid = (): Tried | undefined => {
    const { by } = parseLockOwner(file);
    const begins = by && isAboutToLock(by, clock.now());
    if (begins === 'yes') return lockHeldBy(file);
    return begins === 'unknown' ? { kind: 'begun' } : undefined;
  };
  try {
    const said = isSaid();
    if (said !== undefined) return said;
    if ((await lockOpenFile(file, lockers, programs)) === 'held') return lockHeldBy(file);
    const meanwhile = isSaid();
    if (meanwhile !== undefined) return meanwhile;
    // Another process may have removed the file between opening and locking. Our lock would guard no reachable file.
    taken = fileAtLockPath(file, path) === 'our file';
    if (!taken) return { kind: 'held' };
  } finally {
    if (!taken) fs.closeSync(file);
  }
  prove(path);
  return createHeldLock(file, path, clock.now());
}

const hasLocks = (path: string): boolean =>
  fs.statSync(join(dirname(path), proof), { throwIfNoEntry: false }) !== undefined;

function prove(path: string): void {
  if (hasLocks(path)) return;
  try {
    fs.closeSync(fs.openSync(join(dirname(path), proof), 'wx', 0o600));
  } catch {
    // The next start then takes its lock at once, too.
  }
}

/** Delay before taking the lock that other programs see. A start has sent its first request by then. */
const lockAfter = 100;

/**
 * Signs the lock's file now and locks it soon: running the locking program costs a start about 7 ms, and no other
 * process knows of a new thread. Other Capstan processes respect the signature while its process lives, or for a
 * limited time if they cannot see that. After that, or if a program that uses only `flock` is faster, the lock is lost
 * and its owner writes nothing more. Undefined if the caller has to lock at once.
 */
function beginLock(path: string, { clock, programs, lockers }: Required<FlockOptions>): Lock | undefined {
  // Without a locking program the caller locks at once and fails: the user learns of it before anything is sent.
  if (!lockers.some(({ command }) => programs.find(command) !== undefined)) return undefined;
  const file = openLock(path);
  const epoch = clock.now();
  const signature = lockOwnerLine(epoch, 'begins');
  if (fs.fstatSync(file).size > 0 || !writeLockOwner(file, signature)) {
    fs.closeSync(file);
    return undefined;
  }
  const releasing = new AbortController();
  let locking: Promise<Lock | LockHeld> | undefined;
  let released: Promise<void> | undefined;

  const isOurs = (): boolean =>
    parseLockOwner(file).text === signature && fileAtLockPath(file, path) !== 'another file';

  const leave = (): void => (isOurs() ? releaseLockFile(file) : fs.closeSync(file));

  async function isTaken(): Promise<boolean> {
    for (const pause of [...pauses, ...pauses]) {
      if ((await lockOpenFile(file, lockers, programs)) === 'taken') return true;
      await clock.sleep(pause);
    }
    return false;
  }

  async function lockNow(): Promise<Lock | LockHeld> {
    let isKept = false;
    try {
      if (!(await isTaken()) || !isOurs()) return { kind: 'held' };
      isKept = fileAtLockPath(file, path) === 'our file';
    } finally {
      if (!isKept) leave();
    }
    return isKept ? createHeldLock(file, path, epoch) : lockAnew();
  }

  /** Locks a new file if a program that sweeps lock files has removed ours. Fails if another process made one first. */
  async function lockAnew(): Promise<Lock | LockHeld> {
    let fresh: number;
    try {
      fresh = fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_EXCL, 0o600);
    } catch {
      return { kind: 'held' };
    }
    const isLocked = await lockOpenFile(fresh, lockers, programs).catch(() => 'held');
    if (isLocked === 'taken' && fileAtLockPath(fresh, path) === 'our file') return createHeldLock(fresh, path, epoch);
    fs.closeSync(fresh);
    return { kind: 'held' };
  }

  const settle = (): Promise<Lock | LockHeld> => (locking ??= lockNow());

  async function lockSoon(): Promise<void> {
    await clock.sleep(lockAfter, releasing.signal);
    // The next `isLost` reports a failure.
    if (released === undefined) await settle().catch(() => {});
  }

  async function release(): Promise<void> {
    releasing.abort();
    if (locking === undefined) return leave();
    const lock = await locking.catch(() => undefined);
    if (lock?.kind === 'lock') await lock.release();
  }

  void lockSoon();
  return {
    kind: 'lock',
    epoch,
    async isLost() {
      if (released !== undefined) return false;
      // Half the time that others wait, because what follows takes time as well.
      const isYoung = clock.now() - epoch < beginningOwnerValidMs / 2;
      if (locking === undefined && isYoung) return !isOurs();
      const lock = await settle();
      return lock.kind === 'held' || lock.isLost();
    },
    release: () => (released ??= release()),
  };
}

/** Takes an exclusive lock on its open file 3 without waiting: exits with 0, or with 1 if another process has it. */
export type LockProgram = { readonly command: string; readonly args: readonly string[] };

interface FlockOptions {
  readonly clock: Clock;
  readonly programs: ProgramFinder;
  /** Best first. */
  readonly lockers?: readonly LockProgram[];
}

const perlScript = `open(my $file, "+<&=", 3) or exit 2;
exit 0 if flock($file, LOCK_EX | LOCK_NB);
exit 1 if $!{EWOULDBLOCK} || $!{EAGAIN};
print STDERR $!; exit 2;`;

/** Linux has the first. macOS has only the second by default; that it works there is not tested. */
export const lockPrograms: readonly LockProgram[] = [
  { command: 'flock', args: ['-n', '-x', '3'] },
  { command: 'perl', args: ['-MFcntl=:flock', '-e', perlScript] },
];

/**
 * Locks an open file with the first existing program. Node has no flock, but such a lock belongs to the open file, not
 * to the process: the program inherits our open file, locks it and exits, and the lock stays until we close the file or
 * die.
 */
export async function lockOpenFile(descriptor: number, programs: readonly LockProgram[], { find }: ProgramFinder) {
  for (const program of programs) {
    const path = find(program.command);
    if (path === undefined) continue;
    let end = await run(path, program.args, descriptor, 'ignore');
    // Capturing errors costs every start half a millisecond, so only a failed program is run again for its reason.
    if (end !== 'missing' && end.status !== 0 && end.status !== 1)
      end = await run(path, program.args, descriptor, 'pipe');
    if (end === 'missing') continue;
    if (end.status === 0) return 'taken';
    if (end.status === 1) return 'held';
    const message = `Cannot lock the thread for writing: ${program.command} ended with ${end.status}. ${end.errors}`;
    const next =
      'Try again. If it fails again, move the home folder to a disk that supports locks; network folders often do not.';
    throw new Fault({ code: 'lock-failed', message, next });
  }
  const names = programs.map((program) => program.command).join(' nor ');
  const message = `Cannot lock the thread for writing: the system folders, such as /usr/bin, have neither ${names}.`;
  throw new Fault({ code: 'lock-unavailable', message, next: 'Install util-linux (which has flock) or perl.' });
}

function run(path: string, args: readonly string[], descriptor: number, heard: 'ignore' | 'pipe') {
  // Cheaper at start-up than an import.
  const { spawn } = process.getBuiltinModule('node:child_process');
  const { promise, resolve } = Promise.withResolvers<{ status: number | string; errors: string } | 'missing'>();
  // Variables such as PERL5OPT would make it load other code.
  const env = { LC_ALL: 'C' };
  const child = spawn(path, args, { cwd: '/', env, stdio: ['ignore', 'ignore', heard, descriptor] });
  let errors = '';
  child.stderr?.on('data', (data) => (errors += String(data)));
  child.on('error', (error) => resolve(errorCode(error) === 'ENOENT' ? 'missing' : { status: error.message, errors }));
  child.on('close', (code, signal) => resolve({ status: code ?? signal ?? 'no status', errors: errors.trim() }));
  return promise;
}

function createHeldLock(file: number, path: string, epoch: number): Lock {
  // Taking it takes milliseconds, so no two locks have the same epoch. The signature only informs others.
  writeLockOwner(file, lockOwnerLine(epoch, 'held'));
  let released: Promise<void> | undefined;
  const release = async (): Promise<void> => releaseLockFile(file);
  return {
    kind: 'lock',
    epoch,
    // As long as no file has the name, no other process can have this lock.
    isLost: async () => released === undefined && fileAtLockPath(file, path) === 'another file',
    // The file stays. Removing it is safe only if no process has just opened it for locking; otherwise two writers hold
    // locks on two files of one name. Codex has a second lock for that; an empty file is harmless, and Codex sweeps it.
    release: () => (released ??= release()),
  };
}

function openLock(path: string): number {
  makeFolders(dirname(path), 0o700);
  // Commands may reach the folder of a lock: do not follow a link there.
  try {
    return openRegularFile(path, { links: 'refused', flags: fs.constants.O_RDWR | fs.constants.O_CREAT, mode: 0o600 })
      .file;
  } catch (error) {
    throw error instanceof NotRegularFileError ? new Error(`${path} is not a file.`, { cause: error }) : error;
  }
}

/** Writes the line about the holder; false if that failed, for instance on a full disk. */
function writeLockOwner(file: number, text: string): boolean {
  try {
    fs.ftruncateSync(file, 0);
    return text === '' || fs.writeSync(file, text, 0) === text.length;
  } catch {
    return false;
  }
}

function releaseLockFile(file: number): void {
  writeLockOwner(file, '');
  fs.closeSync(file);
}

const lockHeldBy = (file: number): LockHeld => ({ kind: 'held', owner: ownerOf(file) });
/** The holder of a lock as far as visible without taking it. Undefined: no known holder. */
export function lockOwner(path: string): string | undefined {
  return valueOr(undefined, () => withRegularFile(path, { links: 'refused' }, ownerOf));
}

/** If the process that signed is dead, it crashed. The lock then has a holder that has not signed, or none. */
function ownerOf(file: number): string | undefined {
  const { by } = parseLockOwner(file);
  const lives = by === undefined ? 'no' : signerLives(by);
  if (lives === 'yes') return by?.owner;
  const holder = process.platform === 'linux' ? lockHolder(file) : undefined;
  if (lives === 'no') return holder?.name;
  return holder === undefined && process.platform === 'linux' ? undefined : by?.owner;
}

/** The process that took the lock according to the system. It may have passed the lock on and ended. */
function lockHolder(file: number): { readonly name?: string } | undefined {
  let held: { readonly name?: string } | undefined;
  try {
    const { ino } = fs.fstatSync(file, { bigint: true });
    for (const line of fs.readFileSync('/proc/locks', 'latin1').split('\n')) {
      const [, kind, , , pid = '', place = ''] = line.trim().split(/\s+/);
      if (kind !== 'FLOCK' || place.split(':')[2] !== String(ino)) continue;
      held ??= {};
      if (Number(pid) > 0) held = { name: `${fs.readFileSync(`/proc/${pid}/comm`, 'latin1').trim()} pid ${pid}` };
    }
  } catch {
    // Optional: without it the holder is just another program.
  }
  return held;
}

function fileAtLockPath(file: number, path: string): 'our file' | 'another file' | 'nothing' {
  const named = fs.statSync(path, { bigint: true, throwIfNoEntry: false });
  if (named === undefined) return 'nothing';
  const ours = fs.fstatSync(file, { bigint: true });
  return ours.ino === named.ino && ours.dev === named.dev ? 'our file' : 'another file';
}

/**
 * How long (ms) the signature of a process that is about to lock counts if that process cannot be checked: it may run
 * in another container or on another machine.
 */
const beginningOwnerValidMs = 2000;
const signed = /^(capstan pid (\d+) since (\S+))(?: (in|begins) (\S+) (\S+))?\n/;
type LockOwner = NonNullable<ReturnType<typeof parseLockOwner>['by']>;

function lockOwnerLine(epoch: number, state: 'held' | 'begins'): string {
  const about = `${state === 'held' ? 'in' : 'begins'} ${processSpace()} ${readProcessStat(process.pid)?.ticks ?? '-'}`;
  return `capstan pid ${process.pid} since ${new Date(epoch).toISOString()} ${about}\n`;
}

/** `space` and `started` distinguish the signer from other processes of the same number. Undefined: not stated. */
function parseLockOwner(file: number) {
  const buffer = Buffer.alloc(300);
  const text = buffer.toString('latin1', 0, fs.readSync(file, buffer, 0, buffer.length, 0));
  const [, owner, pid, since = '', state, space, started] = signed.exec(text) ?? [];
  if (owner === undefined) return { text };
  return {
    text,
    by: { owner, pid: Number(pid), since: Date.parse(since), begins: state === 'begins', space, started },
  };
}

/** `unknown`: the signer cannot be seen from here, and signed just now. Soon it has taken the lock or never will. */
function isAboutToLock(by: LockOwner, now: number): 'yes' | 'no' | 'unknown' {
  if (!by.begins) return 'no';
  const lives = signerLives(by);
  const age = now - by.since;
  return lives !== 'unknown' || (age >= 0 && age < beginningOwnerValidMs) ? lives : 'no';
}

/** `unknown`: the signer's process number has no meaning here, or it may be another process's now. */
function signerLives({ pid, space, started }: LockOwner): 'yes' | 'no' | 'unknown' {
  const isOfOurSpace = space === processSpace();
  if (!isAlive(pid) && (space === undefined || isOfOurSpace)) return 'no';
  if (!isOfOurSpace || started === '-') return 'unknown';
  return readProcessStat(pid)?.ticks === started ? 'yes' : 'no';
}

let ownSpace: string | undefined;
/** Scope in which process numbers are comparable: the boot of the machine, and the container. */
function processSpace(): string {
  const boot = (): string => readSystemFile('/proc/sys/kernel/random/boot_id').trim() || '-';
  return (ownSpace ??= `${boot()}/${processNamespace().replaceAll(/\s/g, '_') || '-'}`);
}
