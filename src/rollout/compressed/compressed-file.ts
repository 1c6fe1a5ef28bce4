import type { ByteRange, Files, OpenFile } from '../../ports/files.ts';
import { Fault } from '../../protocol/outcome.ts';
import { errorCode } from '../../disk/file-system.ts';
import { zstdDecompressing } from '../disk/zstd.ts';

const mega = 1024 * 1024;
const blockSize = mega;
export const suffix = '.zst';
export const isCompressed = (path: string): boolean => path.endsWith(suffix);

/** A file of this size is read at once by who looks at it in several places. */
const smallFile = 256 * 1024;

/**
 * Opens a rollout that a list looks at, in several places. A small one is kept in memory. A compressed one must not
 * unpack to far more than it is: a few kilobytes in the folder of threads must not keep every list waiting.
 */
export async function openListedRollout(files: Files, path: string): Promise<OpenFile> {
  const file = await openRolloutFile(files, path, listedLimits);
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
export async function openRolloutFile(files: Files, path: string, limits?: UnpackLimits): Promise<OpenFile> {
  try {
    return await openForm(files, path, limits);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return openForm(files, isCompressed(path) ? path.slice(0, -suffix.length) : `${path}${suffix}`, limits);
  }
}

function openForm(files: Files, path: string, limits?: UnpackLimits): Promise<OpenFile> {
  return isCompressed(path) ? openCompressed(files, path, limits) : files.openToRead(path);
}

/** What a file of so many packed bytes may unpack to. */
type UnpackLimits = (packedSize: number) => { readonly bytes: number; readonly lines: number };

/** The same for a compressed file whatever its name. */
export async function openCompressed(
  files: Files,
  path: string,
  limits: UnpackLimits = () => ({ bytes: mostUnpacked, lines: Infinity }),
): Promise<OpenFile> {
  const packed = await files.openToRead(path);
  try {
    const packedSize = await packed.size();
    return unpackedFile(packed, { path, packedSize, most: limits(packedSize) });
  } catch (error) {
    await packed.close();
    throw error;
  }
}

/** Limit for random access, which unpacks the whole file: a few bytes may unpack to any number. */
const mostUnpacked = 1024 * mega;
/** Threads of programs hardly get smaller than a hundredth, and the id and the time of each line take their space. */
const listedLimits: UnpackLimits = (packedSize) => ({
  bytes: Math.min(mostUnpacked, Math.max(128 * mega, 256 * packedSize)),
  lines: Math.max(100_000, packedSize / 4),
});
/** Holds the newest unpacked bytes. Reading further back unpacks the file from its beginning once more. */
const mostHeldBlocks = 32;
/**
 * A line may have this many bytes, or twice what the file has on the disk: a line of pictures hardly gets shorter when
 * it is packed, and one that gets very much shorter is none that a program wrote.
 */
const longestPackedLine = 32 * mega;

const newline = 0x0a;

interface PackedFile {
  readonly path: string;
  readonly packedSize: number;
  readonly most: ReturnType<UnpackLimits>;
}

function unpackedFile(packed: OpenFile, about: PackedFile): OpenFile {
  const { path, packedSize, most } = about;
  const longestLine = Math.max(longestPackedLine, 2 * packedSize);
  const tooLong: ByteRange[] = [];
  /** Each of `blockSize` but the last, which grows up to it. */
  let blocks: Buffer[] = [];
  let [start, end, lineStart, lines] = [0, 0, 0, 0];
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
        if (end + value.length > most.bytes) throw tooLarge(about, `${most.bytes / mega} MB`);
        if (size === undefined) {
          noteLines(value);
          if (most.lines < Infinity) lines += countLines(value);
          if (lines > most.lines) throw tooLarge(about, `${Math.floor(most.lines)} lines`);
        }
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
    if (size === undefined) [lineStart, lines, tooLong.length] = [0, 0, 0];
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

function countLines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) count += 1;
  return count;
}

function tooLarge({ path, packedSize }: PackedFile, most: string): Fault {
  const message = `The compressed thread file ${path} is too large: its ${packedSize} bytes unpack to more than ${most}.`;
  const next = 'If the thread is yours, unpack it with `zstd -d --rm`. Otherwise delete the file.';
  return new Fault({ code: 'thread-unreadable', message, next });
}

function damaged(error: unknown, path: string): unknown {
  if (error instanceof Fault || !/^(ZSTD|ERR_|Z_|UNKNOWN)/.test(errorCode(error) ?? 'UNKNOWN')) return error;
  const why = error instanceof Error ? error.message : String(error);
  const message = `The compressed thread file ${path} cannot be unpacked: ${why}.`;
  const next = 'Restore it from a backup. `zstd -dc` prints what is still readable.';
  return new Fault({ code: 'thread-unreadable', message, next }, { cause: error });
}
