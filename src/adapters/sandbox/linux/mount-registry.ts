import { accessSync, constants, lstatSync, mkdirSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { namesIn, realPath } from '../../disk/file-system.ts';
import { makeOwnFolder, readOwnFile } from '../../disk/own-files.ts';
import { normalisePath } from '../../../core/policy/paths/absolute-paths.ts';
import { type JsonObject, parseJsonObject } from '../../../protocol/json.ts';
import { type MountAsker, type MountUser, passMountLock, readMountProcess, takeMountLock } from './mount-lock.ts';

/** The users of all engines of this user account. */
export interface MountUsers {
  /** Runs the work while no other engine removes folders. */
  exclusively(use: 'begins' | 'ends', work: (turn: MountTurn) => void): void;
  all(): ReadonlyMap<string, MountUser>;
  /** Writes the entry of a user, or writes it anew. Other engines see all of it or nothing. */
  put(name: string, user: MountUser): void;
  remove(name: string): void;
  /** Removes what writers left that were killed before they had written an entry. The given ones have written theirs. */
  tidy(written: ReadonlyMap<string, MountUser>): void;
}

export interface MountTurn {
  /**
   * Whether folders without a user may be removed now. False without the lock: then an engine may announce its own use
   * and no more.
   */
  mayRemove(): boolean;
}

/**
 * Where the registry may stand, best first: below the folder that the system names as the user's home, whatever the
 * variables HOME and TMPDIR say, because all engines must find the same one; for accounts without a home, in folders
 * that are emptied at a restart. No sandboxed command may write there.
 */
export function mountRegistryFolders(): readonly string[] {
  const user = process.getuid?.() ?? -1;
  return [
    ...homeOf().map((home) => join(home, '.local/state/capstan/mount-points')),
    `/run/user/${user}/capstan-mount-points`,
    `/dev/shm/capstan-mount-points-${user}`,
  ];
}

function homeOf(): readonly string[] {
  try {
    const { homedir } = userInfo();
    return homedir.startsWith('/') && homedir !== '/' ? [homedir] : [];
  } catch {
    // The system does not know this account by name.
    return [];
  }
}

/** The first folder that can be made and written, is this user's own and closed to others. */
export function openMountRegistry(folders: readonly string[]): string | undefined {
  // A home may be missing or read-only, also for a command of another sandbox.
  const folder = folders.find((folder) => makeOwnFolder(folder, 'closed') && isWritable(folder));
  return folder === undefined ? undefined : realPath(folder);
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * A use must not begin without the lock as long as its holder may remove folders. A use may end without it: its folders
 * stay, and the next engine removes them.
 */
const patienceMs = { begins: 10_000, ends: 1_000 };

export function usersOnDisk(registry: string, asker: MountAsker): MountUsers {
  const path = join(registry, 'lock');
  const users: MountUsers = {
    exclusively(use, work) {
      let lock = takeMountLock(path, asker, patienceMs[use]);
      if (lock === 'no folder') {
        ignoreDiskErrors(() => mkdirSync(registry, { recursive: true, mode: 0o700 }));
        lock = takeMountLock(path, asker, patienceMs[use]);
      }
      if (typeof lock === 'string') {
        if (use === 'begins') passMountLock(path, asker);
        return work({ mayRemove: () => false });
      }
      try {
        work({ mayRemove: lock.isRespected });
      } finally {
        lock.release();
      }
    },
    all: () => new Map(namesIn(registry).flatMap((name) => readUser(registry, name))),
    put: (name, user) =>
      ignoreDiskErrors(() => {
        const unfinished = join(registry, `${name}${unfinishedEnd}`);
        writeFileSync(unfinished, JSON.stringify(user), { mode: 0o600, flag: 'wx' });
        renameSync(unfinished, join(registry, name));
      }),
    remove: (name) => ignoreDiskErrors(() => unlinkSync(join(registry, name))),
    tidy(written) {
      for (const name of namesIn(registry)) {
        const isEntry = entryName.test(name.replace(unfinishedEnd, ''));
        if (isEntry && !written.has(name) && isUnfinished(registry, name)) users.remove(name);
      }
    },
  };
  return users;
}

export function usersInMemory(): MountUsers {
  const users = new Map<string, MountUser>();
  return {
    exclusively: (_, work) => work({ mayRemove: () => true }),
    all: () => new Map(users),
    put: (name, user) => void users.set(name, user),
    remove: (name) => void users.delete(name),
    tidy() {},
  };
}

/** A disk that refuses must not keep a command from running: in the worst case an empty folder stays behind. */
export function ignoreDiskErrors(work: () => void): void {
  try {
    work();
  } catch {}
}

const entryName = /^\d{1,10}-[0-9a-z]{1,20}$/;
const unfinishedEnd = '.new';
/** Far more than the folders of one command. */
const mostBytes = 1 << 20;

/** An entry that an engine wrote. Anything else is not read any further, and nothing is done because of it. */
function readUser(registry: string, name: string): readonly [string, MountUser][] {
  if (!entryName.test(name)) return [];
  const file = readOwnFile(join(registry, name), { maxBytes: mostBytes, toOthers: 'readable' });
  const user = file === undefined ? undefined : asUser(parseJsonObject(file.bytes.toString('utf8')));
  return user === undefined ? [] : [[name, user]];
}

function asUser(entry: JsonObject = {}): MountUser | undefined {
  // Earlier versions did not write what they use and did not make.
  const { folders, uses = folders } = entry;
  const named = readMountProcess(entry);
  if (named === undefined || !Array.isArray(folders) || !Array.isArray(uses)) return undefined;
  return [...folders, ...uses].every(isNormalPath) ? { ...named, folders, uses } : undefined;
}

function isNormalPath(value: unknown): value is string {
  return typeof value === 'string' && value !== '/' && normalisePath(value) === value;
}

/** A file to which nothing was written, or not under its own name, long before the last change of the registry. */
function isUnfinished(registry: string, name: string): boolean {
  const file = lstatSync(join(registry, name), { throwIfNoEntry: false });
  if (file === undefined || (file.size > 0 && !name.endsWith(unfinishedEnd))) return false;
  return lstatSync(registry).mtimeMs - file.mtimeMs > 60_000;
}
