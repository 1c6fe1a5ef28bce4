import { valueOr } from '../../../base/objects.ts';
import { accessSync, constants, lstatSync, mkdirSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { listFolderNames, realPath } from '../../disk/file-system.ts';
import { makeOwnFolder, readOwnFile } from '../../disk/own-files.ts';
import { normalisePath } from '../../../core/policy/paths/absolute-paths.ts';
import { type JsonObject, parseJsonObject } from '../../../protocol/json.ts';
import { entryAt, markMountLockPassed, readMountProcess, takeMountLock } from './mount-lock.ts';
import type { MountAsker, MountUser } from './mount-lock.ts';

export interface MountUsers {
  /** Runs the work while no other engine removes folders. */
  exclusively(use: 'begins' | 'ends', work: (mayRemove: MayRemove) => void): void;
  all(): ReadonlyMap<string, MountUser>;
  /** Creates or replaces a user's entry atomically. */
  put(name: string, user: MountUser): void;
  remove(name: string): void;
  /** Removes leftovers of writers killed before they had written an entry. `written`: those that have. */
  tidy(written: ReadonlyMap<string, MountUser>): void;
}

/** True if folders without a user may be removed now. Without the lock an engine may only announce its own use. */
export type MayRemove = () => boolean;

/**
 * Places of the registry, best first: below the account's home as the system knows it, ignoring HOME and TMPDIR,
 * because all engines must find the same one; for accounts without a home, in folders that are emptied at a restart. No
 * sandboxed command may write there.
 */
export function mountRegistryFolders(): readonly string[] {
  const user = process.getuid?.() ?? -1;
  return [
    ...homeOf().map((home) => join(home, '.local/state/capstan/mount-points')),
    `/run/user/${user}/capstan-mount-points`,
    `/dev/shm/capstan-mount-points-${user}`,
  ];
}

/** Empty if the system does not know this account by name. */
function homeOf(): readonly string[] {
  const homedir = valueOr('/', () => userInfo().homedir);
  return homedir.startsWith('/') && homedir !== '/' ? [homedir] : [];
}

/** The first folder that can be created and written, is this user's own and closed to others. */
export function openMountRegistry(folders: readonly string[]): string | undefined {
  // The home may be missing or read-only, for example if this engine is itself a command in another sandbox.
  const isWritable = (folder: string) => valueOr(false, () => accessSync(folder, constants.W_OK) === undefined);
  const folder = folders.find((folder) => makeOwnFolder(folder, 'closed') && isWritable(folder));
  return folder && realPath(folder);
}

/** Without the lock, a use must not begin, but may end: the folders stay, and the next engine removes them. */
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
        if (use === 'begins') markMountLockPassed(path, asker);
        return work(() => false);
      }
      try {
        work(lock.isRespected);
      } finally {
        lock.release();
      }
    },
    all: () => new Map(listFolderNames(registry).flatMap((name) => readUser(registry, name))),
    put: (name, user) =>
      ignoreDiskErrors(() => {
        const unfinished = join(registry, `${name}${unfinishedEnd}`);
        writeFileSync(unfinished, JSON.stringify(user), { mode: 0o600, flag: 'wx' });
        renameSync(unfinished, join(registry, name));
      }),
    remove: (name) => ignoreDiskErrors(() => unlinkSync(join(registry, name))),
    tidy(written) {
      for (const name of listFolderNames(registry)) {
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
    exclusively: (_, work) => work(() => true),
    all: () => new Map(users),
    put: (name, user) => void users.set(name, user),
    remove: (name) => void users.delete(name),
    tidy() {},
  };
}

/** A failing disk must not keep a command from running: at worst an empty folder stays behind. */
export const ignoreDiskErrors = (work: () => void): void => valueOr(undefined, work);
const entryName = /^\d{1,10}-[0-9a-z]{1,20}$/;
const unfinishedEnd = '.new';
/** Far more than one command's folders need. */
const mostBytes = 1 << 20;

/** Reads an entry written by an engine. Anything else is skipped and has no effect. */
function readUser(registry: string, name: string): readonly [string, MountUser][] {
  if (!entryName.test(name)) return [];
  const file = readOwnFile(join(registry, name), { maxBytes: mostBytes, toOthers: 'readable' });
  const user = file && asUser(parseJsonObject(file.bytes.toString('utf8')));
  return user === undefined ? [] : [[name, user]];
}

function asUser(entry: JsonObject = {}): MountUser | undefined {
  // Earlier versions did not record folders that they used but did not make.
  const { folders, uses = folders } = entry;
  const named = readMountProcess(entry);
  if (named === undefined || !Array.isArray(folders) || !Array.isArray(uses)) return undefined;
  return [...folders, ...uses].every(isNormalPath) ? { ...named, folders, uses } : undefined;
}

const isNormalPath = (value: unknown): value is string =>
  typeof value === 'string' && value !== '/' && normalisePath(value) === value;

/** True if the file was empty, or still had its temporary name, a minute before the registry's last change. */
function isUnfinished(registry: string, name: string): boolean {
  const file = entryAt(join(registry, name));
  if (file === undefined || (file.size > 0 && !name.endsWith(unfinishedEnd))) return false;
  return lstatSync(registry).mtimeMs - file.mtimeMs > 60_000;
}
