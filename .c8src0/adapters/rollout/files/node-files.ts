import type { JournalDisk, OpenFile } from '../../../ports/files.ts';
import { Fault } from '../../../protocol/outcome.ts';
import { errorCode, fileSystem as fs, isMissing, makeFolders } from '../../disk/file-system.ts';
import { nonBlockingFlags } from '../../disk/regular-files.ts';
import type { NoParamCallback, Stats } from 'node:fs';

/** Longer than any file system keeps a new name only in memory. */
const oldAfterMs = 120_000;

/**
 * The local disk. Slow calls use callbacks: Node's promise versions cost every start 2 ms. Name lookups and calls on
 * open files are synchronous: passing them to a thread takes longer.
 */
export const nodeFiles: JournalDisk = {
  async makeDirectory(path, mode) {
    makeFolders(path, mode);
  },

  async open(path, { create, mode }) {
    // A created file is our own, never the target of a link of that name.
    const fresh = create ? fs.constants.O_CREAT | fs.constants.O_NOFOLLOW : 0;
    const flags = fs.constants.O_RDWR | fs.constants.O_APPEND | fresh | nonBlockingFlags;
    return regularFile(fs.openSync(path, flags, mode));
  },

  openToRead: async (path) => regularFile(fs.openSync(path, fs.constants.O_RDONLY | nonBlockingFlags)),

  async list(path) {
    try {
      return await promiseValue<string[]>((done) => fs.readdir(path, done));
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  },

  modified: async (path) => (await statOf(path))?.mtimeMs,

  async describe(path) {
    const stats = await statOf(path);
    return stats === undefined ? undefined : { size: stats.size, modified: stats.mtimeMs, mode: stats.mode & 0o7777 };
  },

  async setFacts(path, { modified, mode }) {
    await promiseEnd((done) => fs.chmod(path, mode, done));
    await promiseEnd((done) => fs.utimes(path, modified / 1000, modified / 1000, done));
  },

  link: (path, name) => promiseEnd((done) => fs.link(path, name, done)),
  move: (from, to) => promiseEnd((done) => fs.rename(from, to, done)),

  async remove(path) {
    try {
      await promiseEnd((done) => fs.unlink(path, done));
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  },

  async syncDirectory(path) {
    // Windows opens no folders; its file systems journal names themselves.
    if (process.platform === 'win32') return;
    const folder = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY);
    try {
      await promiseEnd((done) => fs.fsync(folder, done));
    } catch (error) {
      // Some network and FUSE file systems cannot sync folders; nothing more can be done there.
      const code = errorCode(error);
      if (code !== 'EINVAL' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
    } finally {
      fs.closeSync(folder);
    }
  },

  // File systems store names within seconds. So starts need not sync all folders up to the root, only new ones.
  isOld(path) {
    const made = fs.statSync(path, { throwIfNoEntry: false })?.birthtimeMs ?? 0;
    return made > 0 && Date.now() - made > oldAfterMs;
  },
};

/** Devices and pipes have no readable end. A folder reports by itself that it cannot be read. */
function regularFile(file: number): OpenFile {
  const stats = fs.fstatSync(file);
  if (stats.isFile() || stats.isDirectory()) return openFile(file);
  fs.closeSync(file);
  throw Object.assign(new Error('it is not a regular file'), { code: 'ENXIO' });
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await promiseValue<Stats>((done) => fs.stat(path, done));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function openFile(file: number): OpenFile {
  return {
    size: async () => fs.fstatSync(file).size,
    async read(position, length, memory) {
      const buffer = memory ?? Buffer.allocUnsafe(length);
      let filled = 0;
      while (filled < length) {
        const from = position + filled;
        const count = await promiseValue<number>((done) => fs.read(file, buffer, filled, length - filled, from, done));
        if (count === 0) break;
        filled += count;
      }
      return buffer.subarray(0, filled);
    },
    async append(bytes) {
      // The system may write less than given; with O_APPEND, the rest follows at the end.
      for (let written = 0; written < bytes.length;) {
        written += await promiseValue<number>((done) =>
          fs.write(file, bytes, written, bytes.length - written, null, done),
        );
      }
    },
    truncate: (size) => promiseEnd((done) => fs.ftruncate(file, size, done)),
    // Skips timestamps, which no reader needs; the length is synced, since the bytes could not be read without it.
    sync: () => promiseEnd((done) => fs.fdatasync(file, done)),
    isNamed: async () => fs.fstatSync(file).nlink > 0,
    close: () => promiseEnd((done) => fs.close(file, done)),
  };
}

/** The value that Node gives to a callback. */
export function promiseValue<Value>(run: (done: (error: Error | null, value: Value) => void) => void): Promise<Value> {
  return new Promise((resolve, reject) => run((error, value) => (error === null ? resolve(value) : reject(error))));
}

export function promiseEnd(run: (done: NoParamCallback) => void): Promise<void> {
  return new Promise((resolve, reject) => run((error) => (error === null ? resolve() : reject(error))));
}

export type DiskFaultCode = 'disk-vanished' | 'disk-full' | 'disk-denied' | 'disk-blocked' | 'disk-failed';

const advice: Readonly<Record<DiskFaultCode, string>> = {
  'disk-full': 'Free some space, or raise the quota or the file size limit. Everything up to the last save is safe.',
  'disk-denied':
    'Check the permissions of the file and its folders, and whether the disk is read-only. Or set CAPSTAN_HOME to a folder that you can write to, or save nothing with --ephemeral.',
  'disk-blocked':
    'Something else is in the place of the file or one of its folders. Move it away, or set CAPSTAN_HOME to another folder.',
  'disk-vanished': 'The file was deleted, or the disk was disconnected. This run is not saved; look for a backup.',
  'disk-failed': 'Check the disk and the system log. Everything up to the last save is safe.',
};

/** All others: `disk-failed`. */
const errors: readonly (readonly [DiskFaultCode, readonly string[]])[] = [
  ['disk-full', ['ENOSPC', 'EDQUOT', 'EFBIG']],
  ['disk-denied', ['EACCES', 'EPERM', 'EROFS']],
  ['disk-blocked', ['ENOTDIR', 'EISDIR', 'EEXIST', 'ENXIO']],
  ['disk-vanished', ['ENOENT', 'ESTALE', 'ENODEV']],
];

type Doing = 'save' | 'read' | 'open' | 'move' | 'remove';

export function diskFault(error: unknown, doing: Doing, path: string): Fault {
  if (error instanceof Fault) return error;
  const named = errorCode(error) ?? '';
  const code = errors.find(([, names]) => names.includes(named))?.[0] ?? 'disk-failed';
  const reason = error instanceof Error ? error.message : String(error);
  const message = `Cannot ${doing} the thread file ${path}: ${reason}`;
  return new Fault({ code, message, next: advice[code] }, { cause: error });
}

export async function withDiskFaults<Result>(doing: Doing, path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw diskFault(error, doing, path);
  }
}
