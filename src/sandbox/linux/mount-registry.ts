import { mkdirSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../../disk/file-system.ts';
import { namesIn, realPath } from '../../disk/folders.ts';
import { makeOwnFolder, readOwnFile } from '../../disk/own-file.ts';
import { normalisePath } from '../../policy/paths.ts';
import { type JsonObject, parseJsonObject } from '../../protocol/json.ts';

/** A user of mount points: an engine, for as long as its commands may run. */
export interface MountUser {
  readonly process: number;
  /** When that process was started, in words of the system. Another process of the number is not this user. */
  readonly startedAt: string;
  /** In which table of processes it has its number: containers have tables of their own. */
  readonly processTable: string;
  /** Folders that exist only because a sandbox needs them. */
  readonly folders: readonly string[];
}

/** The users of all engines of this user account. */
export interface MountUsers {
  exclusively(work: () => void): void;
  all(): ReadonlyMap<string, MountUser>;
  add(name: string, user: MountUser): void;
  remove(name: string): void;
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

/** The first folder that can be made, is this user's own and closed to others. */
export function openMountRegistry(folders: readonly string[]): string | undefined {
  // A home may be missing or read-only.
  const folder = folders.find((folder) => makeOwnFolder(folder, 'closed'));
  return folder === undefined ? undefined : realPath(folder);
}

/** The lock is held for less than a millisecond at a time: one that stands this long belongs to a dead process. */
const lockPatienceMs = 1000;

export function usersOnDisk(registry: string): MountUsers {
  const lock = join(registry, 'lock');
  return {
    exclusively(work) {
      takeLock(lock, registry);
      try {
        work();
      } finally {
        quietly(() => rmdirSync(lock));
      }
    },
    all: () => new Map(namesIn(registry).flatMap((name) => readUser(registry, name))),
    add: (name, user) =>
      quietly(() => writeFileSync(join(registry, name), JSON.stringify(user), { mode: 0o600, flag: 'wx' })),
    remove: (name) => quietly(() => unlinkSync(join(registry, name))),
  };
}

export function usersInMemory(): MountUsers {
  const users = new Map<string, MountUser>();
  return {
    exclusively: (work) => work(),
    all: () => new Map(users),
    add: (name, user) => void users.set(name, user),
    remove: (name) => void users.delete(name),
  };
}

/** A disk that refuses must not keep a command from running: in the worst case an empty folder stays behind. */
export function quietly(work: () => void): void {
  try {
    work();
  } catch {}
}

const entryName = /^\d{1,10}-[0-9a-z]{1,20}$/;
/** Far more than the folders of one command. */
const mostBytes = 1 << 20;

/** An entry that an engine wrote. Anything else is not read any further, and nothing is done because of it. */
function readUser(registry: string, name: string): readonly [string, MountUser][] {
  if (!entryName.test(name)) return [];
  const file = readOwnFile(join(registry, name), { maxBytes: mostBytes, toOthers: 'readable' });
  const user = file === undefined ? undefined : asUser(parseJsonObject(file.bytes.toString('utf8')));
  return user === undefined ? [] : [[name, user]];
}

function asUser({ process, startedAt, processTable, folders }: JsonObject = {}): MountUser | undefined {
  if (typeof process !== 'number' || !Number.isSafeInteger(process) || process <= 0) return undefined;
  if (typeof startedAt !== 'string' || typeof processTable !== 'string' || !Array.isArray(folders)) return undefined;
  return folders.every(isNormalPath) ? { process, startedAt, processTable, folders } : undefined;
}

function isNormalPath(value: unknown): value is string {
  return typeof value === 'string' && value !== '/' && normalisePath(value) === value;
}

function takeLock(lock: string, registry: string): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; waited < lockPatienceMs; waited += 1) {
    try {
      mkdirSync(lock);
      return;
    } catch (error) {
      const code = errorCode(error);
      if (code === 'ENOENT') quietly(() => mkdirSync(registry, { recursive: true, mode: 0o700 }));
      else if (code === 'EEXIST') Atomics.wait(pause, 0, 0, 1);
      else return;
    }
  }
}
