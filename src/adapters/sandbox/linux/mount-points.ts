import { valueOr } from '../../../base/objects.ts';
import { accessByRules } from '../../../core/policy/paths/access.ts';
import { mountPointNames } from '../../../core/policy/paths/special-places.ts';
import type { ProcessTable } from '../../../ports/system.ts';
import type { PathRule, ResolvedFilePolicy } from '../../../protocol/permissions.ts';
import { errorCode, listFolderNames, realPath, readSystemFile } from '../../disk/file-system.ts';
import { hasFolderHandles, withFolderHandle } from '../../disk/folder-access.ts';
import { readOwnFile } from '../../disk/own-files.ts';
import { isAlive } from '../../disk/processes.ts';
import { blockProcess } from '../../disk/wait-for-lock.ts';
import { oncePerPath } from '../disk-view.ts';
import { endedUse, entryAt, type MountAsker, type MountUser, ownProcess, processState } from './mount-lock.ts';
import { ignoreDiskErrors, openMountRegistry, usersInMemory, usersOnDisk } from './mount-registry.ts';
import type { MayRemove, MountUsers } from './mount-registry.ts';
import { linkSync, mkdirSync, readdirSync, rmdirSync, rmSync, type Stats, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * Keeps folders that bubblewrap creates on the host as mount points, so that commands cannot create missing paths. Only
 * the last user removes such a folder; users register in files, and the next engine cleans up after a crash. On the
 * word of another process's entry, an engine removes only an empty folder at exactly that path with a name that
 * sandboxes protect, and only if it does not use the folder itself.
 */
export type HostMountPoints = ReturnType<typeof createEmptyMountPoints>;

export interface MountPointOptions {
  /** Possible places of the registry, best first. */
  readonly registries: readonly string[];
  readonly processes: ProcessTable;
  readonly temporaryDirectories: readonly string[];
  /** Folders stay this long after their last use: the next command is likely to need them again. */
  readonly lingerMs: number;
}

export function createEmptyMountPoints(options: MountPointOptions) {
  const { processes } = options;
  const asker: MountAsker = { self: ownProcess(processes), processes };
  // Without a process table, entries of dead processes could not be recognised.
  const registry = asker.self.startedAt === '' ? undefined : openMountRegistry(options.registries);
  const engine: Engine = {
    ...asker,
    users: registry === undefined ? usersInMemory() : usersOnDisk(registry, asker),
    codex: codexMountPoints(options.temporaryDirectories),
  };
  const stays = new Map<string, Stay>();
  const endAll = (): void => {
    for (const stay of stays.values()) stay.end();
  };

  function begin(key: string, folders: readonly string[]): Stay {
    const end = announce(engine, folders);
    const stay: Stay = {
      holders: 0,
      end() {
        clearTimeout(stay.timer);
        stays.delete(key);
        if (stays.size === 0) process.off('exit', endAll);
        end();
      },
    };
    if (stays.size === 0) process.on('exit', endAll);
    stays.set(key, stay);
    return stay;
  }

  return {
    /** Folder of the users' files, which no sandboxed command may write. Undefined: only this process is known. */
    registry,
    /** Denies writing the tables in which Codex records its own use. */
    protect: engine.codex.protect,
    /** Announces that the folders will be mounted on. Folders that existed before any use are never removed. */
    hold(folders: readonly string[]): { release(): void } {
      if (folders.length === 0) return { release() {} };
      const key = folders.join('\0');
      const stay = stays.get(key) ?? begin(key, folders);
      clearTimeout(stay.timer);
      stay.holders += 1;
      return {
        release() {
          stay.holders -= 1;
          if (stay.holders > 0) return;
          if (options.lingerMs === 0) stay.end();
          else stay.timer = setTimeout(stay.end, options.lingerMs).unref();
        },
      };
    },
  };
}

type Stay = { holders: number; timer?: NodeJS.Timeout; end(): void };
type Engine = MountAsker & { readonly users: MountUsers; readonly codex: ReturnType<typeof codexMountPoints> };

/** Announces the use to all engines and to Codex. Returns a function that ends it. */
function announce(engine: Engine, uses: readonly string[]): () => void {
  const { users, self, codex } = engine;
  const name = `${process.pid}-${Math.random().toString(36).slice(2)}`;
  const made = new Set<string>();
  // Codex may be about to remove an existing folder that it does not know to be an engine's.
  let isDoubtful = false;
  // In mount order, which is that of the list of uses.
  const folders = () => uses.filter((folder) => made.has(folder));
  const register = () => users.put(name, { ...self, folders: folders(), uses });
  const noteMissing = () => {
    for (const folder of uses.filter((each) => entryAt(each) === undefined)) made.add(folder);
  };
  users.exclusively('begins', (mayRemove) => {
    // Without the lock, another engine may remove a folder between our check and our entry.
    if (!mayRemove()) register();
    const others = new Map(users.all());
    others.delete(name);
    const known = new Set(madeBy(others));
    noteMissing();
    for (const folder of uses.filter((each) => !made.has(each))) {
      isDoubtful ||= !known.has(folder);
      if (known.has(folder) || codex.isMade(folder)) made.add(folder);
    }
    register();
    sweep(engine, mayRemove, others);
  });
  const use = codex.enter(uses, (folder) => made.has(folder));
  if (isDoubtful && use.settle()) {
    const before = made.size;
    noteMissing();
    if (made.size > before) register();
  }
  return () =>
    users.exclusively('ends', (mayRemove) => {
      users.remove(name);
      use.leave();
      removeUnused(engine, mayRemove, folders());
      keepEntry(engine, name, { ...self, startedAt: endedUse, folders: folders(), uses: [] });
    });
}

function sweep(engine: Engine, mayRemove: MayRemove, all: ReadonlyMap<string, MountUser>): void {
  if (!mayRemove()) return;
  engine.users.tidy(all);
  for (const [name, user] of all) {
    if (processState(user, engine) !== 'ended') continue;
    engine.users.remove(name);
    engine.codex.forget(user.process, user.uses);
    const removable = user.folders.filter((folder) => mountPointNames.includes(basename(folder)));
    removeUnused(engine, mayRemove, removable);
    keepEntry(engine, name, { ...user, uses: [] });
  }
}

/** Removes folders without users, newest first: `commondir` must outlast the name that it guards. */
function removeUnused({ users, codex }: Engine, mayRemove: MayRemove, folders: readonly string[]): void {
  const used = new Set([...users.all().values()].flatMap(({ uses }) => uses));
  for (const folder of folders.toReversed()) {
    if (used.has(folder) || codex.isHeld(folder) || !mayRemove()) continue;
    ignoreDiskErrors(() => removeEmptyFolder(folder));
    // Codex may have registered in between; its sandbox takes longer to start than this check.
    if (codex.isHeld(folder)) ignoreDiskErrors(() => mkdirSync(folder));
  }
}

/**
 * Keeps the entry of a finished use until an engine removes or needs its folders. They could not be removed because
 * another program mounts on them, because no sandbox protects such a name, or because the lock was busy.
 */
function keepEntry({ users }: Engine, name: string, user: MountUser): void {
  const empty = user.folders.filter(isEmptyFolder);
  if (empty.length === 0) return;
  const known = new Set(madeBy(users.all()));
  const folders = empty.filter((folder) => !known.has(folder));
  if (folders.length > 0) users.put(name, { ...user, folders });
}

const madeBy = (users: ReadonlyMap<string, MountUser>): readonly string[] =>
  [...users.values()].flatMap(({ folders }) => folders);

const isEmptyFolder = (path: string): boolean =>
  valueOr(false, () => entryAt(path)?.isDirectory() === true && readdirSync(path).length === 0);

/**
 * Removes this user's folder if it is empty and is where its path says. Works through a descriptor of the parent, since
 * a link on the way, even one put there meanwhile, would lead elsewhere.
 */
function removeEmptyFolder(path: string): void {
  if (!hasFolderHandles()) return;
  withFolderHandle(path, (folder) => {
    const found = entryAt(folder);
    // Removes only an empty folder: something may have been put there in the meantime.
    if (found?.isDirectory() === true && found.uid === process.getuid?.()) rmdirSync(folder);
  });
}

/**
 * The tables in which Codex records its mount points: for each folder a folder of marks, with a file for each process.
 * Engines enter their uses there and respect those of Codex. A wrong table does little harm: at worst an empty folder
 * stays, or an engine removes an empty folder that it mounted on itself.
 */
function codexMountPoints(temporaryDirectories: readonly string[]) {
  const name = `codex-bwrap-synthetic-mount-targets-${process.geteuid?.()}`;
  const places = [...new Set(temporaryDirectories.map((folder) => join(realPath(folder) ?? folder, name)))];
  const tables = () => places.filter(isOwnFolder);
  const marksOf = (folder: string) => tables().map((table) => join(table, pathHash(folder)));
  return {
    /** Denies commands writing the tables. Not mentioned to the model: no task needs them. */
    protect(files: ResolvedFilePolicy): ResolvedFilePolicy {
      if (files.kind === 'unrestricted') return files;
      const writable = places.filter((path) => accessByRules(files.rules, path) === 'write');
      const kept = writable.map((path): PathRule => ({ path, access: 'read', ifMissing: 'skip', own: true }));
      return { ...files, rules: [...files.rules, ...kept] };
    },
    enter(folders: readonly string[], isMade: (folder: string) => boolean) {
      const found = tables();
      const marks = found.flatMap((table) => {
        const written = new Map<string, string>();
        const wordOf = (folder: string) => (isMade(folder) ? madeWord : existingWord);
        return folders.map((folder) => enterMark(join(table, pathHash(folder)), wordOf(folder), written));
      });
      return {
        /**
         * Waits until every Codex that may have missed the use has finished removing. False if there is no table: no
         * Codex has run yet, and the next one leaves existing folders alone. May take milliseconds, because the kernel
         * stops all lock changes to list them.
         */
        settle(): boolean {
          for (const table of found) awaitLock(join(table, 'lock'));
          return found.length > 0;
        },
        leave: () => marks.forEach(leaveMark),
      };
    },
    forget(pid: number, folders: readonly string[]): void {
      if (tables().length === 0 || isAlive(pid)) return;
      for (const marks of folders.flatMap(marksOf)) if (isOwnFolder(marks)) removeMark(join(marks, String(pid)));
    },
    /** A running process mounts on the folder. */
    isHeld: (folder: string) => marksOf(folder).some((marks) => runningIn(marks).length > 0),
    /** A running process mounts on the folder and created it for that. */
    isMade: (folder: string) =>
      marksOf(folder).some((marks) => runningIn(marks).some((mark) => wordIn(mark) === madeWord)),
  };
}

const madeWord = 'synthetic\n';
const existingWord = 'existing\n';
/** Checks that the folder is this user's: another user may have put anything else there to lead us elsewhere. */
const isOwnFolder = (path: string): boolean => isOwn(entryAt(path));
const isOwn = (found: Stats | undefined): boolean =>
  found?.isDirectory() === true && found.uid === process.geteuid?.() && (found.mode & 0o002) === 0;

/** Number of uses behind each mark of this process. */
const uses = new Map<string, number>();

/** `written`: marks of this use by word. Linking to one takes a third of the time of writing another. */
function enterMark(marks: string, word: string, written: Map<string, string>): string {
  const mark = join(marks, String(process.pid));
  const before = uses.get(mark) ?? 0;
  uses.set(mark, before + 1);
  if (before > 0) return mark;
  // Codex removes an empty folder of marks, possibly just before ours is in it.
  for (let attempt = 0; attempt < 10; attempt++) {
    try {
      if (entryAt(marks) === undefined) mkdirSync(marks);
      if (!isOwnFolder(marks)) break;
      // A dead process may have had our id.
      if (entryAt(mark) !== undefined) removeMark(mark);
      const same = written.get(word);
      if (same === undefined) writeFileSync(mark, word, { flag: 'wx' });
      else linkSync(same, mark);
      written.set(word, mark);
      break;
    } catch (error) {
      written.delete(word);
      if (!['ENOENT', 'EEXIST', 'EPERM'].includes(errorCode(error) ?? '')) break;
    }
  }
  return mark;
}

/** Keeps the folder of marks: if an engine removed it without Codex's lock, Codex could fail to write its own mark. */
function leaveMark(mark: string): void {
  const left = (uses.get(mark) ?? 1) - 1;
  if (left > 0) return void uses.set(mark, left);
  uses.delete(mark);
  removeMark(mark);
}

/** A mark that stays is ignored once this process has ended. */
const removeMark = (mark: string): void => ignoreDiskErrors(() => rmSync(mark, { force: true }));
/** Size of a folder with far more names than processes can be active. */
const mostBytes = 1 << 18;

function runningIn(marks: string): readonly string[] {
  const found = entryAt(marks);
  if (found === undefined || !isOwn(found)) return [];
  // Checking all would take long, so assume that one of them runs.
  if (found.size > mostBytes) return [marks];
  return listFolderNames(marks)
    .filter((name) => /^\d{1,10}$/.test(name) && isAlive(Number(name)))
    .map((name) => join(marks, name));
}

const wordIn = (mark: string): string | undefined =>
  readOwnFile(mark, { maxBytes: 100, toOthers: 'readable' })?.bytes.toString('latin1');

/** Codex holds its lock for less than a millisecond. */
const lockPauses = 1_000;

/** Waits until Codex's lock is free once: later holders see our marks. Taking it would need another, slow program. */
function awaitLock(path: string): void {
  const lock = entryAt(path);
  if (lock === undefined) return;
  for (let pause = 0; pause < lockPauses && isLocked(lock.ino); pause++) blockProcess(1);
}

/** The kernel's format: `1: FLOCK ADVISORY WRITE pid device:device:inode start end`; a waiting process has an arrow. */
function isLocked(inode: number): boolean {
  const lines = readSystemFile('/proc/locks').split('\n');
  return lines.some((line) => line.includes(` FLOCK `) && line.includes(`:${inode} `));
}

/** FNV-1a, 64 bits, in hexadecimal. */
const pathHash = oncePerPath((path) => {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(path)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
});
