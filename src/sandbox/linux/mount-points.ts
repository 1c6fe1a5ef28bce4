import { lstatSync, mkdirSync, readdirSync, readFileSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Keeping a command from making a missing path means mounting something there, and bubblewrap makes the folder to
 * mount on: on the host, where it would stay. Whoever removes it while another sandbox still mounts on it takes that
 * sandbox's protection away, so folders are removed by the last user only. Users tell each other through small files
 * in a shared place, because other engines may work in the same workspace; what a crashed engine left behind is
 * removed by the next one that looks.
 */
export interface MountPoints {
  /** Where the users' files stand. No sandboxed command may write there. Undefined: only this process is seen. */
  readonly registry: string | undefined;
  /** Announces that the folders will be mounted on. Those that existed before anybody's use are never removed. */
  hold(folders: readonly string[]): { release(): void };
}

interface User {
  readonly process: number;
  /** Folders that exist only because a sandbox needs them. */
  readonly folders: readonly string[];
}

export interface MountPointOptions {
  readonly temporaryDirectory: string;
  /**
   * Folders stay this long after their last use: removing a folder on which a sandbox was mounted takes milliseconds,
   * and the next command is likely to need the same ones.
   */
  readonly lingerMs: number;
}

export function createMountPoints({ temporaryDirectory, lingerMs }: MountPointOptions): MountPoints {
  const registry = openRegistry(temporaryDirectory);
  const users = registry === undefined ? usersInMemory() : usersOnDisk(registry);
  const stays = new Map<string, Stay>();
  const endAll = (): void => {
    for (const stay of stays.values()) stay.end();
  };

  function begin(key: string, folders: readonly string[]): Stay {
    const end = announce(users, folders);
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
          if (lingerMs === 0) stay.end();
          else stay.timer = setTimeout(stay.end, lingerMs).unref();
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

/** Makes the use known to all engines. What it gives back ends the use. */
function announce(users: Users, folders: readonly string[]): () => void {
  let name = '';
  let ours: readonly string[] = [];
  users.exclusively(() => {
    const others = users.all();
    for (let count = 0; name === '' || others.has(name); count += 1) name = `${process.pid}-${count}`;
    const made = new Set([...others.values()].flatMap((user) => user.folders));
    ours = folders.filter((folder) => made.has(folder) || !exists(folder));
    users.add(name, { process: process.pid, folders: ours });
    sweep(users, others);
  });
  return () =>
    users.exclusively(() => {
      users.remove(name);
      removeUnused(ours, users.all());
    });
}

interface Users {
  exclusively(work: () => void): void;
  all(): ReadonlyMap<string, User>;
  add(name: string, user: User): void;
  remove(name: string): void;
}

/** Ends the stay of users that died without doing so. */
function sweep(users: Users, all: ReadonlyMap<string, User>): void {
  const dead = [...all].filter(([, user]) => !isAlive(user.process));
  for (const [name] of dead) users.remove(name);
  if (dead.length > 0)
    removeUnused(
      dead.flatMap(([, user]) => user.folders),
      users.all(),
    );
}

function removeUnused(folders: readonly string[], users: ReadonlyMap<string, User>): void {
  const used = new Set([...users.values()].flatMap((user) => user.folders));
  for (const folder of folders) {
    if (used.has(folder)) continue;
    // Never more than an empty folder: somebody may have put something there in the meantime.
    quietly(() => rmdirSync(folder));
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Where the files of this user's engines stand, whether or not the folder is there. */
export function mountRegistry(temporaryDirectory: string): string {
  return join(temporaryDirectory, `capstan-mounts-${process.getuid?.()}`);
}

/** The folder for this user's files, if it is this user's own and closed to others. */
function openRegistry(temporaryDirectory: string): string | undefined {
  const user = process.getuid?.();
  const folder = mountRegistry(temporaryDirectory);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    return found.isDirectory() && found.uid === user && (found.mode & 0o077) === 0 ? folder : undefined;
  } catch {
    return undefined;
  }
}

function usersInMemory(): Users {
  const users = new Map<string, User>();
  return {
    exclusively: (work) => work(),
    all: () => new Map(users),
    add: (name, user) => void users.set(name, user),
    remove: (name) => void users.delete(name),
  };
}

const lockName = 'lock';
/** The lock is held for less than a millisecond at a time: one that stands this long belongs to a dead process. */
const lockPatienceMs = 1000;

function usersOnDisk(registry: string): Users {
  const lock = join(registry, lockName);
  return {
    exclusively(work) {
      takeLock(lock, registry);
      try {
        work();
      } finally {
        quietly(() => rmdirSync(lock));
      }
    },
    all() {
      const names = namesIn(registry).filter((name) => name !== lockName);
      return new Map(names.flatMap((name) => readUser(registry, name)));
    },
    add: (name, user) => quietly(() => writeFileSync(join(registry, name), JSON.stringify(user), { mode: 0o600 })),
    remove: (name) => quietly(() => unlinkSync(join(registry, name))),
  };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readUser(registry: string, name: string): readonly [string, User][] {
  try {
    return [[name, JSON.parse(readFileSync(join(registry, name), 'utf8')) as User]];
  } catch {
    return [];
  }
}

function takeLock(lock: string, registry: string): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; waited < lockPatienceMs; waited += 1) {
    try {
      mkdirSync(lock);
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Systems tidy their temporary folders now and then.
      if (code === 'ENOENT') quietly(() => mkdirSync(registry, { mode: 0o700 }));
      else if (code === 'EEXIST') Atomics.wait(pause, 0, 0, 1);
      else return;
    }
  }
}

/** A disk that refuses must not keep a command from running: in the worst case an empty folder stays behind. */
function quietly(work: () => void): void {
  try {
    work();
  } catch {}
}
