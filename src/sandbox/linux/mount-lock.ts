import { lstatSync, readlinkSync, rmdirSync, symlinkSync, unlinkSync } from 'node:fs';
import { errorCode } from '../../disk/file-system.ts';
import { standStill } from '../../disk/stand-still.ts';
import { parseJsonObject } from '../../protocol/json.ts';
import { asMountProcess, type MountAsker, lifeOf } from './mount-user.ts';

/** The right to remove mount points, which one engine has at a time. */
export interface MountLock {
  /** False once another engine has waited for so long that it continued without the lock. */
  isRespected(): boolean;
  release(): void;
}

/** The lock is held for less than a millisecond: after this time, that of a process that cannot be seen was left. */
const hiddenPatienceMs = 3_000;

/** Stands beside the lock once an engine continued without it. */
const passedEnd = '-passed';

/**
 * Takes the lock: a link whose target names its holder, so that it is made together with its content. Waits while the
 * holder runs, removes the lock of one that has ended, and gives up after `patienceMs`.
 */
export function takeMountLock(path: string, asker: MountAsker, patienceMs: number): MountLock | 'busy' | 'no folder' {
  const name = JSON.stringify({ ...asker.self, turn: Math.random() });
  let seen = '';
  let seenSince = 0;
  // Pauses are counted, not the time: while the whole machine stands still, no holder can end its work.
  for (let waited = 0; ; waited += pause(waited)) {
    const answer = tryLock(path, name);
    if (answer !== 'taken') return answer;
    const holder = holderOf(path) ?? '';
    if (holder !== seen) [seen, seenSince] = [holder, waited];
    const life = holder === '' ? 'running' : lifeOfHolder(holder, asker);
    const isLeft = life === 'ended' || (life === 'hidden' && waited - seenSince >= hiddenPatienceMs);
    if (isLeft) removeLeftLock(path, holder, asker);
    if (waited >= patienceMs) return 'busy';
  }
}

/**
 * To be called before continuing without the lock. Its holder may have been stopped in the middle of its work: it will
 * learn of this before it removes anything.
 */
export function passMountLock(path: string, { self }: MountAsker): void {
  tryLock(`${path}${passedEnd}`, JSON.stringify(self));
}

function tryLock(path: string, name: string): MountLock | 'taken' | 'busy' | 'no folder' {
  try {
    symlinkSync(name, path);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') return 'taken';
    return code === 'ENOENT' ? 'no folder' : 'busy';
  }
  const passed = `${path}${passedEnd}`;
  return {
    isRespected: () => !exists(passed) && holderOf(path) === name,
    release() {
      if (holderOf(path) !== name) return;
      if (exists(passed)) removeLock(passed);
      removeLock(path);
    },
  };
}

/**
 * Only one process at a time may do this, the holder of a second lock: between looking and removing, another would
 * otherwise remove the lock and a third would take it.
 */
function removeLeftLock(path: string, holder: string, asker: MountAsker): void {
  const right = takeMountLock(`${path}-left`, asker, 0);
  if (typeof right === 'string') return;
  if (holderOf(path) === holder) removeLock(path);
  right.release();
}

function lifeOfHolder(holder: string, asker: MountAsker): ReturnType<typeof lifeOf> {
  const named = asMountProcess(parseJsonObject(holder) ?? {});
  return named === undefined ? 'hidden' : lifeOf(named, asker);
}

/** The text that names the holder; undefined if there is no lock. Earlier versions made folders, without a name. */
function holderOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (errorCode(error) !== 'EINVAL') return undefined;
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found === undefined ? undefined : `${found.ino} ${found.ctimeMs}`;
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function removeLock(path: string): void {
  for (const remove of [unlinkSync, rmdirSync]) {
    try {
      return remove(path);
    } catch {
      // It is of the other kind, or gone already. One that stays counts as left when its holder has ended.
    }
  }
}

/** Waits, longer the longer it has taken, and says for how long. */
function pause(waited: number): number {
  const ms = waited < 50 ? 1 : 5;
  standStill(ms);
  return ms;
}
