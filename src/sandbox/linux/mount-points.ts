import { lstatSync, readdirSync, readlinkSync, rmdirSync } from 'node:fs';
import { basename } from 'node:path';
import { hasDoors, inFolder } from '../../disk/folder-door.ts';
import { mountPointNames } from '../../policy/protected-names.ts';
import type { ProcessTable } from '../../ports/processes.ts';
import { isHeldByCodex } from './codex-mount-points.ts';
import {
  type MountUser,
  type MountUsers,
  openMountRegistry,
  quietly,
  usersInMemory,
  usersOnDisk,
} from './mount-registry.ts';

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
  /** Announces that the folders will be mounted on. Those that existed before any use are never removed. */
  hold(folders: readonly string[]): { release(): void };
}

export interface MountPointOptions {
  /** Where the registry may stand, best first. */
  readonly registries: readonly string[];
  readonly processes: ProcessTable;
  /** Where Codex may have its own registry. */
  readonly temporaryDirectories: readonly string[];
  /**
   * Folders stay this long after their last use: removing a folder on which a sandbox was mounted takes milliseconds,
   * and the next command is likely to need the same ones.
   */
  readonly lingerMs: number;
}

export function createMountPoints(options: MountPointOptions): MountPoints {
  const startedAt = options.processes.startedAt(process.pid);
  // Without a table of processes, entries of dead processes could not be separated from those of living ones.
  const registry = startedAt === undefined ? undefined : openMountRegistry(options.registries);
  const engine: Engine = {
    users: registry === undefined ? usersInMemory() : usersOnDisk(registry),
    self: { process: process.pid, startedAt: startedAt ?? '', processTable: ownProcessTable() },
    processes: options.processes,
    isHeldElsewhere: (folder) => isHeldByCodex(folder, options.temporaryDirectories),
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

interface Engine {
  readonly users: MountUsers;
  readonly self: Omit<MountUser, 'folders'>;
  readonly processes: ProcessTable;
  isHeldElsewhere(folder: string): boolean;
}

/** What stands in the place of a start for a use that is over, while a folder of it has to stay. */
const over = 'over';

/** Makes the use known to all engines. What it gives back ends the use. */
function announce(engine: Engine, folders: readonly string[]): () => void {
  const { users, self } = engine;
  let name = '';
  let ours: readonly string[] = [];
  users.exclusively(() => {
    const others = users.all();
    name = `${process.pid}-${Math.random().toString(36).slice(2)}`;
    const made = new Set([...others.values()].flatMap((user) => user.folders));
    ours = folders.filter((folder) => made.has(folder) || lstatSync(folder, { throwIfNoEntry: false }) === undefined);
    users.add(name, { ...self, folders: ours });
    sweep(engine, others);
  });
  return () =>
    users.exclusively(() => {
      users.remove(name);
      removeUnused(engine, ours);
      const kept = ours.filter((folder) => isEmptyFolder(folder) && engine.isHeldElsewhere(folder));
      if (kept.length > 0) users.add(name, { ...self, startedAt: over, folders: kept });
    });
}

/** Ends the use of those that died without doing so. */
function sweep(engine: Engine, all: ReadonlyMap<string, MountUser>): void {
  for (const [name, user] of all) {
    if (isAlive(engine, user)) continue;
    engine.users.remove(name);
    const removable = user.folders.filter((folder) => mountPointNames.includes(basename(folder)));
    removeUnused(engine, removable);
    // The entry has to last for an engine that needs these itself, or until Codex does not need them any more.
    const known = new Set([...engine.users.all().values()].flatMap(({ folders }) => folders));
    const folders = user.folders.filter((folder) => isEmptyFolder(folder) && !known.has(folder));
    if (folders.length > 0) engine.users.add(name, { ...user, folders });
  }
}

/** Removes the folders that have no user left. */
function removeUnused({ users, isHeldElsewhere }: Engine, folders: readonly string[]): void {
  const used = new Set([...users.all().values()].flatMap((user) => user.folders));
  for (const folder of folders) {
    if (!used.has(folder) && !isHeldElsewhere(folder)) quietly(() => removeEmptyFolder(folder));
  }
}

/** Whether the process of an entry still runs. One in another container cannot be seen from here, and may. */
function isAlive({ processes, self }: Engine, user: MountUser): boolean {
  if (user.processTable === self.processTable) return processes.startedAt(user.process) === user.startedAt;
  return user.startedAt !== over && systemStart(user) === systemStart(self);
}

/** The start of a process is written after the start of the system. */
function systemStart({ startedAt }: Pick<MountUser, 'startedAt'>): string {
  return startedAt.split(' ', 1)[0] ?? '';
}

function ownProcessTable(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

function isEmptyFolder(path: string): boolean {
  try {
    return !lstatSync(path).isSymbolicLink() && readdirSync(path).length === 0;
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
