import { accessByRules } from '../../../core/policy/paths/access.ts';
import { mountPointNames } from '../../../core/policy/paths/special-places.ts';
import type { ProcessTable } from '../../../ports/system.ts';
import type { PathRule, ResolvedFiles } from '../../../protocol/permissions.ts';
import { errorCode, namesIn, realPath } from '../../disk/file-system.ts';
import { hasFolderDoors, withFolderDoor } from '../../disk/folder-access.ts';
import { readOwnFile } from '../../disk/own-files.ts';
import { isAlive } from '../../disk/processes.ts';
import { blockFor } from '../../disk/wait-for-lock.ts';
import { endedUse, type MountAsker, type MountUser, ownProcess, processState } from './mount-lock.ts';
import {
  ignoreDiskErrors,
  type MountTurn,
  type MountUsers,
  openMountRegistry,
  usersInMemory,
  usersOnDisk,
} from './mount-registry.ts';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';

/**
 * To keep a command from making a missing path, bubblewrap makes a folder there to mount on, on the host. It is removed
 * by its last user only, since removing it would end the protection of another sandbox; users announce themselves by
 * files in a registry, and the next engine clears what a crashed one left.
 *
 * An entry of another process alone removes nothing: the folder must be empty, stand where its path says, and have a
 * name that sandboxes protect, unless this engine needs that folder itself.
 */
export interface MountPoints {
  /** Where the users' files stand. No sandboxed command may write there. Undefined: only this process is seen. */
  readonly registry: string | undefined;
  /** The same access without the right to write the tables in which Codex records its own use. */
  protect(files: ResolvedFiles): ResolvedFiles;
  /** Announces that the folders will be mounted on. Those that existed before any use are never removed. */
  hold(folders: readonly string[]): { release(): void };
}

export interface MountPointOptions {
  /** Where the registry may stand, best first. */
  readonly registries: readonly string[];
  readonly processes: ProcessTable;
  /** Where Codex may have its tables. */
  readonly temporaryDirectories: readonly string[];
  /**
   * Folders stay this long after their last use: removing a folder on which a sandbox was mounted takes milliseconds,
   * and the next command is likely to need the same ones.
   */
  readonly lingerMs: number;
}

export function createMountPoints(options: MountPointOptions): MountPoints {
  const { processes } = options;
  const asker: MountAsker = { self: ownProcess(processes), processes };
  // Without a table of processes, entries of dead processes could not be separated from those of living ones.
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
    registry,
    protect: engine.codex.protect,
    hold(folders) {
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

/** The use of a set of folders, from its first holder until some time after its last. */
interface Stay {
  holders: number;
  timer?: NodeJS.Timeout;
  end(): void;
}

interface Engine extends MountAsker {
  readonly users: MountUsers;
  readonly codex: CodexMountPoints;
}

/** Makes the use known to all engines and to Codex. What it gives back ends the use. */
function announce(engine: Engine, uses: readonly string[]): () => void {
  const { users, self, codex } = engine;
  const name = `${process.pid}-${Math.random().toString(36).slice(2)}`;
  const made = new Set<string>();
  // Codex may be about to remove what is in place and not known to be of an engine.
  let isDoubtful = false;
  // In the order of the mounts, which is that of the list of uses.
  const folders = () => uses.filter((folder) => made.has(folder));
  const register = () => users.put(name, { ...self, folders: folders(), uses });
  const noteMissing = () => {
    const missing = uses.filter((folder) => lstatSync(folder, { throwIfNoEntry: false }) === undefined);
    for (const folder of missing) made.add(folder);
  };
  users.exclusively('begins', (turn) => {
    // Without the lock, another engine may remove a folder between our look at the disk and our entry.
    if (!turn.mayRemove()) register();
    const others = new Map(users.all());
    others.delete(name);
    const known = new Set(madeBy(others));
    noteMissing();
    for (const folder of uses.filter((each) => !made.has(each))) {
      isDoubtful ||= !known.has(folder);
      if (known.has(folder) || codex.isMade(folder)) made.add(folder);
    }
    register();
    sweep(engine, turn, others);
  });
  const use = codex.enter(uses, (folder) => made.has(folder));
  if (isDoubtful && use.settle()) {
    const before = made.size;
    noteMissing();
    if (made.size > before) register();
  }
  return () =>
    users.exclusively('ends', (turn) => {
      users.remove(name);
      use.leave();
      removeUnused(engine, turn, folders());
      keepEntry(engine, name, { ...self, startedAt: endedUse, folders: folders(), uses: [] });
    });
}

/** Ends the use of those that died without doing so. */
function sweep(engine: Engine, turn: MountTurn, all: ReadonlyMap<string, MountUser>): void {
  if (!turn.mayRemove()) return;
  engine.users.tidy(all);
  for (const [name, user] of all) {
    if (processState(user, engine) !== 'ended') continue;
    engine.users.remove(name);
    engine.codex.forget(user.process, user.uses);
    const removable = user.folders.filter((folder) => mountPointNames.includes(basename(folder)));
    removeUnused(engine, turn, removable);
    keepEntry(engine, name, { ...user, uses: [] });
  }
}

/** Removes the folders that have no user left, the last made first: `commondir` must outlast the name that it guards. */
function removeUnused({ users, codex }: Engine, turn: MountTurn, folders: readonly string[]): void {
  const used = new Set([...users.all().values()].flatMap(({ uses }) => uses));
  for (const folder of folders.toReversed()) {
    if (used.has(folder) || codex.isHeld(folder) || !turn.mayRemove()) continue;
    ignoreDiskErrors(() => removeEmptyFolder(folder));
    // Codex may have entered it in between; its sandbox needs longer than we do.
    if (codex.isHeld(folder)) ignoreDiskErrors(() => mkdirSync(folder));
  }
}

/**
 * A use is over, and folders of it could not be removed: another program mounts on them, no sandbox protects such a
 * name, or the lock was busy. Its entry lasts until an engine removes them, or needs them itself.
 */
function keepEntry({ users }: Engine, name: string, user: MountUser): void {
  const empty = user.folders.filter(isEmptyFolder);
  if (empty.length === 0) return;
  const known = new Set(madeBy(users.all()));
  const folders = empty.filter((folder) => !known.has(folder));
  if (folders.length > 0) users.put(name, { ...user, folders });
}

function madeBy(users: ReadonlyMap<string, MountUser>): readonly string[] {
  return [...users.values()].flatMap(({ folders }) => folders);
}

function isEmptyFolder(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true && readdirSync(path).length === 0;
  } catch {
    return false;
  }
}

/**
 * Removes a folder of this user if it is empty and stands where its path says. A link on the way would lead to a folder
 * elsewhere, and one could be put there while we look: so this works through an open door of the folder above.
 */
function removeEmptyFolder(path: string): void {
  if (!hasFolderDoors()) return;
  withFolderDoor(path, (folder) => {
    const found = lstatSync(folder, { throwIfNoEntry: false });
    // Never more than an empty folder: something may have been put there in the meantime.
    if (found?.isDirectory() === true && found.uid === process.getuid?.()) rmdirSync(folder);
  });
}

/**
 * The tables in which Codex records the folders that its sandboxes mount on: for each folder a folder of marks, and in
 * it a file for each process. Engines enter their own uses, so that Codex keeps the folders that they need, and they
 * keep those that Codex needs. What a table says is advice: it can keep an empty folder, and it can make an engine
 * remove an empty folder on which that engine mounted.
 */
interface CodexMountPoints {
  /** The same access, but commands cannot write the tables. The model is not told: no task is about them. */
  protect(files: ResolvedFiles): ResolvedFiles;
  enter(folders: readonly string[], isMade: (folder: string) => boolean): CodexUse;
  /** Removes what an engine entered that has ended. */
  forget(pid: number, folders: readonly string[]): void;
  /** Whether a running process mounts on the folder. */
  isHeld(folder: string): boolean;
  /** Whether one does, and made the folder for that. */
  isMade(folder: string): boolean;
}

export interface CodexUse {
  /**
   * Waits until every Codex that may not have seen the use has removed what it was about to remove. False if there is
   * no table: then no Codex has run, and the next one finds the folders in place and leaves them. May take
   * milliseconds, because the kernel stops all changes of locks to list them.
   */
  settle(): boolean;
  leave(): void;
}

function codexMountPoints(temporaryDirectories: readonly string[]): CodexMountPoints {
  const name = `codex-bwrap-synthetic-mount-targets-${process.geteuid?.()}`;
  const places = [...new Set(temporaryDirectories.map((folder) => join(realPath(folder) ?? folder, name)))];
  const tables = () => places.filter(isOwnFolder);
  const marksOf = (folder: string) => tables().map((table) => join(table, pathHash(folder)));
  return {
    protect(files) {
      if (files.kind === 'unrestricted') return files;
      const writable = places.filter((path) => accessByRules(files.rules, path) === 'write');
      const kept = writable.map((path): PathRule => ({ path, access: 'read', ifMissing: 'skip', own: true }));
      return { ...files, rules: [...files.rules, ...kept] };
    },
    enter(folders, isMade) {
      const found = tables();
      const marks = found.flatMap((table) => {
        const written = new Map<string, string>();
        return folders.map((folder) =>
          enterMark(join(table, pathHash(folder)), isMade(folder) ? madeWord : existingWord, written),
        );
      });
      return {
        settle() {
          for (const table of found) awaitLock(join(table, 'lock'));
          return found.length > 0;
        },
        leave: () => marks.forEach(leaveMark),
      };
    },
    forget(pid, folders) {
      if (tables().length === 0 || isAlive(pid)) return;
      for (const marks of folders.flatMap(marksOf)) if (isOwnFolder(marks)) removeMark(join(marks, String(pid)));
    },
    isHeld: (folder) => marksOf(folder).some((marks) => runningIn(marks).length > 0),
    isMade: (folder) => marksOf(folder).some((marks) => runningIn(marks).some((mark) => wordIn(mark) === madeWord)),
  };
}

const madeWord = 'synthetic\n';
const existingWord = 'existing\n';

/** Anything else may have been put there to lead us elsewhere. */
function isOwnFolder(path: string): boolean {
  return isOwn(lstatSync(path, { throwIfNoEntry: false }));
}

function isOwn(found: Stats | undefined): boolean {
  return found?.isDirectory() === true && found.uid === process.geteuid?.() && (found.mode & 0o002) === 0;
}

/** How many uses of this process each of its marks stands for. */
const uses = new Map<string, number>();

/** `written`: the marks of this use with each word. To link to one takes a third of the time of writing another. */
function enterMark(marks: string, word: string, written: Map<string, string>): string {
  const mark = join(marks, String(process.pid));
  const before = uses.get(mark) ?? 0;
  uses.set(mark, before + 1);
  if (before > 0) return mark;
  // Codex removes a folder of marks when it is empty, which may be at any moment before ours is in it.
  for (let attempt = 0; attempt < 10; attempt++) {
    try {
      if (lstatSync(marks, { throwIfNoEntry: false }) === undefined) mkdirSync(marks);
      if (!isOwnFolder(marks)) break;
      // A process that is gone may have had our number.
      if (lstatSync(mark, { throwIfNoEntry: false }) !== undefined) removeMark(mark);
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

/** The folder of marks stays: without the lock of Codex, removing it could make Codex fail to write its mark. */
function leaveMark(mark: string): void {
  const left = (uses.get(mark) ?? 1) - 1;
  if (left > 0) return void uses.set(mark, left);
  uses.delete(mark);
  removeMark(mark);
}

function removeMark(mark: string): void {
  try {
    rmSync(mark, { force: true });
  } catch {
    // A mark that stays counts for nothing once this process has ended.
  }
}

/** The bytes of a folder with far more names than processes can be at work. */
const mostBytes = 1 << 18;

/** The marks of processes that run. */
function runningIn(marks: string): readonly string[] {
  const found = lstatSync(marks, { throwIfNoEntry: false });
  if (found === undefined || !isOwn(found)) return [];
  // To look at all of them would take long. One of them may run.
  if (found.size > mostBytes) return [marks];
  return namesIn(marks)
    .filter((name) => /^\d{1,10}$/.test(name) && isAlive(Number(name)))
    .map((name) => join(marks, name));
}

function wordIn(mark: string): string | undefined {
  return readOwnFile(mark, { maxBytes: 100, toOthers: 'readable' })?.bytes.toString('latin1');
}

/** Codex holds its lock for less than a millisecond. */
const lockPauses = 1_000;

/**
 * Waits until the lock is seen free: who takes it from then on sees what was entered before. To hold it would need a
 * program, which takes longer than everything else here.
 */
function awaitLock(path: string): void {
  const lock = lstatSync(path, { throwIfNoEntry: false });
  if (lock === undefined) return;
  for (let pause = 0; pause < lockPauses && isLocked(lock.ino); pause++) blockFor(1);
}

/** The kernel lists `1: FLOCK ADVISORY WRITE pid device:device:inode start end`; a process that waits has an arrow. */
function isLocked(inode: number): boolean {
  try {
    const lines = readFileSync('/proc/locks', 'latin1').split('\n');
    return lines.some((line) => line.includes(` FLOCK `) && line.includes(`:${inode} `));
  } catch {
    return false;
  }
}

const hashes = new Map<string, string>();

/** FNV-1a with 64 bits, in hexadecimal digits. */
function pathHash(path: string): string {
  const known = hashes.get(path);
  if (known !== undefined) return known;
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(path)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  const digits = hash.toString(16).padStart(16, '0');
  hashes.set(path, digits);
  return digits;
}
