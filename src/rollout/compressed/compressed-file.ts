import type { Files, OpenFile } from '../../ports/files.ts';
import { Fault } from '../../protocol/outcome.ts';
import { errorCode } from '../../disk/file-system.ts';
import { zstdDecompressing } from '../disk/zstd.ts';

const blockSize = 1024 * 1024;
export const suffix = '.zst';
export const isCompressed = (path: string): boolean => path.endsWith(suffix);

/** A file of this size is read at once by who looks at it in several places. */
const smallFile = 256 * 1024;

/** The same as `openRolloutFile` for who looks at a file in several places: a small one is kept in memory. */
export async function openSmallRollout(files: Files, path: string): Promise<OpenFile> {
  const file = await openRolloutFile(files, path);
  try {
    const size = await file.size();
    if (size > smallFile) return file;
    const bytes = await file.read(0, size);
    await file.close();
    return {
      ...readOnly,
      size: async () => bytes.length,
      read: async (position, count) => bytes.subarray(position, position + count),
      isNamed: async () => true,
      close: async () => {},
    };
  } catch (error) {
    await file.close().catch(() => undefined);
    throw error;
  }
}

const refuse = (): Promise<never> =>
  Promise.reject(Object.assign(new Error('EROFS: this rollout was opened for reading'), { code: 'EROFS' }));
const readOnly = { append: refuse, truncate: refuse, sync: refuse };

/**
 * Opens a rollout for reading. A compressed one reads like a plain one and is unpacked only as far as it is read. If it
 * has just changed its form, the other one is opened.
 */
export async function openRolloutFile(files: Files, path: string): Promise<OpenFile> {
  try {
    return await openForm(files, path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return openForm(files, isCompressed(path) ? path.slice(0, -suffix.length) : `${path}${suffix}`);
  }
}

function openForm(files: Files, path: string): Promise<OpenFile> {
  return isCompressed(path) ? openCompressed(files, path) : files.openToRead(path);
}

/** The same for a compressed file whatever its name. */
export async function openCompressed(files: Files, path: string): Promise<OpenFile> {
  const packed = await files.openToRead(path);
  return remembering(packed, unpacked(packed, path));
}

/** What is unpacked is kept in memory; a few bytes may unpack to any number of them. */
const mostUnpacked = 1024 * 1024 * 1024;

async function* unpacked(packed: OpenFile, path: string): AsyncGenerator<Uint8Array, void> {
  try {
    let length = 0;
    for await (const block of zstdDecompressing(fileBlocks(packed))) {
      length += block.length;
      if (length > mostUnpacked) throw new Error(`it unpacks to more than ${mostUnpacked / 1024 / 1024} MB`);
      yield block;
    }
  } catch (error) {
    throw damaged(error, path);
  }
}

/** A file of which everything is kept that was read once. */
function remembering(source: OpenFile, content: AsyncGenerator<Uint8Array, void>): OpenFile {
  const memory: Uint8Array[] = [];
  let length = 0;
  let ended = false;
  /** One after the other: readers may overlap. */
  let reading: Promise<void> = Promise.resolve();

  async function readUpTo(end: number): Promise<void> {
    while (!ended && length < end) {
      const { done, value } = await content.next();
      ended = done === true;
      if (value) memory.push(value);
      length += value?.length ?? 0;
    }
  }

  function reach(end: number): Promise<void> {
    const reached = reading.then(() => readUpTo(end));
    reading = reached.catch(() => {});
    return reached;
  }

  /** In one piece: most files are read from one end to the other. */
  function joined(): Uint8Array {
    if (memory.length > 1) memory.splice(0, memory.length, Buffer.concat(memory));
    return memory[0] ?? new Uint8Array();
  }

  return {
    ...readOnly,
    async size() {
      await reach(Number.POSITIVE_INFINITY);
      return length;
    },
    async read(position, count) {
      await reach(position + count);
      return joined().subarray(position, position + count);
    },
    isNamed: () => source.isNamed(),
    async close() {
      await reading;
      await content.return();
      await source.close();
    },
  };
}

/** The bytes of a file, a block at a time. */
export async function* fileBlocks(file: OpenFile): AsyncGenerator<Uint8Array, void> {
  for (let position = 0; ;) {
    const block = await file.read(position, blockSize);
    if (block.length === 0) return;
    position += block.length;
    yield block;
  }
}

function damaged(error: unknown, path: string): unknown {
  if (error instanceof Fault || !/^(ZSTD|ERR_|Z_|UNKNOWN)/.test(errorCode(error) ?? 'UNKNOWN')) return error;
  const why = error instanceof Error ? error.message : String(error);
  const message = `The compressed thread file ${path} cannot be unpacked: ${why}.`;
  const next = 'Restore it from a backup. `zstd -dc` prints what is still readable.';
  return new Fault({ code: 'thread-unreadable', message, next }, { cause: error });
}
