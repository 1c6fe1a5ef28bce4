import { constants } from 'node:fs';
import { mkdir, open, readdir, stat, type FileHandle } from 'node:fs/promises';
import type { Files, OpenFile } from '../ports/files.ts';
import { errorCode } from './disk-fault.ts';

/** The disk of this machine. */
export const nodeFiles: Files = {
  async makeDirectory(path, mode) {
    await mkdir(path, { recursive: true, mode });
  },

  async open(path, { create, mode }) {
    const flags = constants.O_RDWR | constants.O_APPEND | (create ? constants.O_CREAT : 0);
    return openFile(await open(path, flags, mode));
  },

  async list(path) {
    try {
      return await readdir(path);
    } catch (error) {
      const code = errorCode(error);
      if (code === 'ENOENT' || code === 'ENOTDIR') return [];
      throw error;
    }
  },

  async modified(path) {
    try {
      return (await stat(path)).mtimeMs;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  },

  async syncDirectory(path) {
    // Windows opens no folders; its file systems keep names in their own journal.
    if (process.platform === 'win32') return;
    const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      await handle.sync();
    } catch (error) {
      // Some network and FUSE file systems know no sync of folders. There is nothing more that we could do there.
      const code = errorCode(error);
      if (code !== 'EINVAL' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
    } finally {
      await handle.close();
    }
  },
};

function openFile(handle: FileHandle): OpenFile {
  return {
    size: async () => (await handle.stat()).size,
    async read(position, length, memory) {
      const buffer = memory ?? Buffer.allocUnsafe(length);
      let filled = 0;
      while (filled < length) {
        const { bytesRead } = await handle.read(buffer, filled, length - filled, position + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return buffer.subarray(0, filled);
    },
    async append(bytes) {
      // The system may write less than it was given; opened with O_APPEND, the rest follows at the end.
      for (let written = 0; written < bytes.length;) {
        written += (await handle.write(bytes, written, bytes.length - written)).bytesWritten;
      }
    },
    truncate: (size) => handle.truncate(size),
    // Without the times, which nobody needs back; the length is synced, as the bytes could not be read without it.
    sync: () => handle.datasync(),
    close: () => handle.close(),
  };
}
