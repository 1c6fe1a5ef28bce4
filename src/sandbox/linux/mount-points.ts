import { lstatSync, mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import { basename } from 'node:path';
import { hasDoors, inFolder } from '../../disk/folder-door.ts';
import { mountPointNames } from '../../policy/protected-names.ts';
import type { ProcessTable } from '../../ports/processes.ts';
import type { ResolvedFiles } from '../../protocol/resolved-policy.ts';
import { type CodexMountPoints, codexMountPoints } from './codex-mount-points.ts';
import {
  type MountTurn,
  type MountUsers,
  openMountRegistry,
  quietly,
  usersInMemory,
  usersOnDisk,
} from './mount-registry.ts';
import { type MountAsker, lifeOf, type MountUser, over, ownProcess } from './mount-user.ts';

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
      keepEntry(engine, name, { ...self, startedAt: over, folders: folders(), uses: [] });
    });
}

/** Ends the use of those that died without doing so. */
function sweep(engine: Engine, turn: MountTurn, all: ReadonlyMap<string, MountUser>): void {
  if (!turn.mayRemove()) return;
  engine.users.tidy(all);
  for (const [name, user] of all) {
    if (lifeOf(user, engine) !== 'ended') continue;
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
    quietly(() => removeEmptyFolder(folder));
    // Codex may have entered it in between; its sandbox needs longer than we do.
    if (codex.isHeld(folder)) quietly(() => mkdirSync(folder));
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
  if (!hasDoors()) return;
  inFolder(path, (folder) => {
    const found = lstatSync(folder, { throwIfNoEntry: false });
    // Never more than an empty folder: something may have been put there in the meantime.
    if (found?.isDirectory() === true && found.uid === process.getuid?.()) rmdirSync(folder);
  });
}
