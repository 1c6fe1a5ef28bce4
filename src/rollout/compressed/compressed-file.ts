import type { ByteRange, Files, OpenFile } from '../../ports/files.ts';
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
  try {
    return unpackedFile(packed, path, await packed.size());
  } catch (error) {
    await packed.close();
    throw error;
  }
}

/** Limit for random access, which unpacks the whole file: a few bytes may unpack to any number. */
const mostUnpacked = 1024 * 1024 * 1024;
/** Holds the newest unpacked bytes. Reading further back unpacks the file from its beginning once more. */
const mostHeldBlocks = 32;
/**
 * A line may have this many bytes, or twice what the file has on the disk: a line of pictures hardly gets shorter when
 * it is packed, and one that gets very much shorter is none that a program wrote.
 */
const longestPackedLine = 32 * 1024 * 1024;

const newline = 0x0a;

function unpackedFile(packed: OpenFile, path: string, packedSize: number): OpenFile {
  const longestLine = Math.max(longestPackedLine, 2 * packedSize);
  const tooLong: ByteRange[] = [];
  /** Each of `blockSize` but the last, which grows up to it. */
  let blocks: Buffer[] = [];
  let [start, end, lineStart] = [0, 0, 0];
  let stream: AsyncGenerator<Uint8Array, void> | undefined;
  let size: number | undefined;
  /** One after the other: readers may overlap. */
  let working: Promise<unknown> = Promise.resolve();

  function hold(bytes: Uint8Array): void {
    for (let rest = bytes; rest.length > 0;) {
      const used = end % blockSize;
      let block = used === 0 && end > start ? undefined : blocks.at(-1);
      if (block === undefined) {
        // Fresh memory costs more than writing into it.
        const isFull = blocks.length === mostHeldBlocks;
        block = isFull ? blocks.shift()! : Buffer.alloc(0);
        if (isFull) start += blockSize;
        blocks.push(block);
      }
      const piece = rest.subarray(0, blockSize - used);
      if (block.length < used + piece.length) {
        // Most files are small; what follows a whole block is likely to be another one.
        const capacity = end >= blockSize ? blockSize : Math.max(2 * block.length, used + piece.length);
        const larger = Buffer.allocUnsafeSlow(Math.min(blockSize, capacity));
        block.copy(larger, 0, 0, used);
        blocks[blocks.length - 1] = larger;
        block = larger;
      }
      block.set(piece, used);
      end += piece.length;
      rest = rest.subarray(piece.length);
    }
  }

  /** The first time that the bytes are seen. */
  function noteLines(bytes: Uint8Array): void {
    const first = bytes.indexOf(newline);
    if (first === -1) return;
    noteLine(end + first);
    lineStart = end + bytes.lastIndexOf(newline) + 1;
  }

  function noteLine(lineEnd: number): void {
    if (lineEnd - lineStart > longestLine) tooLong.push({ start: lineStart, end: lineEnd });
  }

  /** False at the end of the file. */
  async function unpackMore(): Promise<boolean> {
    stream ??= zstdDecompressing(fileBlocks(packed));
    try {
      const { done, value } = await stream.next();
      if (done !== true) {
        if (end + value.length > mostUnpacked) {
          throw new Error(`it unpacks to more than ${mostUnpacked / 1024 / 1024} MB`);
        }
        if (size === undefined) noteLines(value);
        hold(value);
        return true;
      }
    } catch (error) {
      throw damaged(error, path);
    }
    if (size === undefined) noteLine(end);
    size = end;
    return false;
  }

  async function beginAgain(): Promise<void> {
    await stream?.return();
    [stream, blocks, start, end] = [undefined, [], 0, 0];
    // What was seen of the first lines is seen again.
    if (size === undefined) [lineStart, tooLong.length] = [0, 0];
  }

  async function read(position: number, count: number, memory?: Uint8Array): Promise<Uint8Array> {
    if (position < start) await beginAgain();
    const wanted = size === undefined ? count : Math.max(0, Math.min(count, size - position));
    const into = memory !== undefined && memory.length >= wanted ? memory : Buffer.allocUnsafeSlow(wanted);
    let done = 0;
    while (done < wanted) {
      const at = position + done;
      if (at >= end) {
        if (size === end || !(await unpackMore())) break;
        continue;
      }
      const block = blocks[Math.floor((at - start) / blockSize)]!;
      const from = at % blockSize;
      const length = Math.min(wanted - done, blockSize - from, end - at);
      into.set(block.subarray(from, from + length), done);
      done += length;
    }
    return into.subarray(0, done);
  }

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = working.then(work);
    working = done.catch(() => {});
    return done;
  }

  return {
    ...readOnly,
    longestLine,
    tooLong: () => tooLong,
    size: () =>
      inTurn(async () => {
        while (size === undefined) await unpackMore();
        return size;
      }),
    read: (position, count, memory) => inTurn(() => read(position, count, memory)),
    isNamed: () => packed.isNamed(),
    async close() {
      await working;
      await stream?.return();
      await packed.close();
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
