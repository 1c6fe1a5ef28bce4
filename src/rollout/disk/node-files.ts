import type { NoParamCallback, Stats } from 'node:fs';
import { errorCode, fileSystem as fs, isMissing } from '../../disk/file-system.ts';
import { firstMissing } from '../../disk/folders.ts';
import { withoutWaiting } from '../../disk/regular-file.ts';
import type { Files, OpenFile } from '../../ports/files.ts';

/** The disk of this machine. By callbacks: loading Node's promises of the same calls costs every start 2 ms. */
export const nodeFiles: Files = {
  async makeDirectory(path, mode) {
    const make = (): Promise<string | undefined> =>
      result<string | undefined>((done) => fs.mkdir(path, { recursive: true, mode }, done));
    try {
      await make();
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      await ended((done) => fs.mkdir(firstMissing(path), { mode }, done));
      await make();
    }
  },

  async open(path, { create, mode }) {
    // What is new is a file of ours, and not what a link of that name leads to.
    const fresh = create ? fs.constants.O_CREAT | fs.constants.O_NOFOLLOW : 0;
    const flags = fs.constants.O_RDWR | fs.constants.O_APPEND | fresh | withoutWaiting;
    return regularFile(await result<number>((done) => fs.open(path, flags, mode, done)));
  },

  async openToRead(path) {
    return regularFile(await result<number>((done) => fs.open(path, fs.constants.O_RDONLY | withoutWaiting, done)));
  },

  async list(path) {
    try {
      return await result<string[]>((done) => fs.readdir(path, done));
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  },

  async modified(path) {
    return (await statOf(path))?.mtimeMs;
  },

  async describe(path) {
    const stats = await statOf(path);
    return stats === undefined ? undefined : { size: stats.size, modified: stats.mtimeMs, mode: stats.mode & 0o7777 };
  },

  async setFacts(path, { modified, mode }) {
    await ended((done) => fs.chmod(path, mode, done));
    await ended((done) => fs.utimes(path, modified / 1000, modified / 1000, done));
  },

  link: (path, name) => ended((done) => fs.link(path, name, done)),

  move: (from, to) => ended((done) => fs.rename(from, to, done)),

  async remove(path) {
    try {
      await ended((done) => fs.unlink(path, done));
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  },

  async syncDirectory(path) {
    // Windows opens no folders; its file systems keep names in their own journal.
    if (process.platform === 'win32') return;
    const folder = await result<number>((done) =>
      fs.open(path, fs.constants.O_RDONLY | fs.constants.O_DIRECTORY, done),
    );
    try {
      await ended((done) => fs.fsync(folder, done));
    } catch (error) {
      // Some network and FUSE file systems know no sync of folders. There is nothing more that we could do there.
      const code = errorCode(error);
      if (code !== 'EINVAL' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
    } finally {
      await ended((done) => fs.close(folder, done));
    }
  },
};

/** Devices and pipes have no end, or none that could be read from. A folder says by itself that it cannot be read. */
async function regularFile(file: number): Promise<OpenFile> {
  const stats = await result<Stats>((done) => fs.fstat(file, done));
  if (stats.isFile() || stats.isDirectory()) return openFile(file);
  await ended((done) => fs.close(file, done));
  throw Object.assign(new Error('it is not a regular file'), { code: 'ENXIO' });
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await result<Stats>((done) => fs.stat(path, done));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function openFile(file: number): OpenFile {
  return {
    size: async () => (await result<Stats>((done) => fs.fstat(file, done))).size,
    async read(position, length, memory) {
      const buffer = memory ?? Buffer.allocUnsafe(length);
      let filled = 0;
      while (filled < length) {
        const from = position + filled;
        const count = await result<number>((done) => fs.read(file, buffer, filled, length - filled, from, done));
        if (count === 0) break;
        filled += count;
      }
      return buffer.subarray(0, filled);
    },
    async append(bytes) {
      // The system may write less than it was given; opened with O_APPEND, the rest follows at the end.
      for (let written = 0; written < bytes.length;) {
        written += await result<number>((done) => fs.write(file, bytes, written, bytes.length - written, null, done));
      }
    },
    truncate: (size) => ended((done) => fs.ftruncate(file, size, done)),
    // Without the times, which no reader needs; the length is synced, as the bytes could not be read without it.
    sync: () => ended((done) => fs.fdatasync(file, done)),
    isNamed: async () => (await result<Stats>((done) => fs.fstat(file, done))).nlink > 0,
    close: () => ended((done) => fs.close(file, done)),
  };
}

function result<Value>(run: (done: (error: Error | null, value: Value) => void) => void): Promise<Value> {
  return new Promise((resolve, reject) => run((error, value) => (error === null ? resolve(value) : reject(error))));
}

function ended(run: (done: NoParamCallback) => void): Promise<void> {
  return new Promise((resolve, reject) => run((error) => (error === null ? resolve() : reject(error))));
}
