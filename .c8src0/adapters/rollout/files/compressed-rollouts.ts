import type { ByteRange, FileFacts, JournalDisk, OpenFile } from '../../../ports/files.ts';
import { Fault } from '../../../protocol/outcome.ts';
import { errorCode } from '../../disk/file-system.ts';
import { diskFault, withDiskFaults } from './node-files.ts';
import { withOpenFile, createFileAtomically } from './whole-files.ts';
import { compressZstdStream, decompressZstdStream } from './zstd.ts';
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';

export type CompressionResult = { readonly path: string; readonly from: number; readonly to: number };

/**
 * Replaces a plain rollout by a compressed one, under the thread's writer lock. The plain one is authoritative, and
 * removed only when the other is safe and unpacks to the same bytes. Undefined when a program without locks wrote to it
 * meanwhile.
 */
export async function compressRollout(files: JournalDisk, path: string): Promise<CompressionResult | undefined> {
  const target = `${path}${compressedSuffix}`;
  try {
    const before = await files.describe(path);
    if (before === undefined) return undefined;
    // Leftovers of an earlier try are void while the plain file exists.
    await files.remove(target);
    const check = async (temporary: string): Promise<void> => {
      const packed = await hashOf(openCompressed(files, temporary));
      if (packed !== (await hashOf(files.openToRead(path)))) throw new Changed();
      if (!isSame(before, await files.describe(path))) throw new Changed();
    };
    const whole = { path: target, temporary: `${target}.tmp`, mode: before.mode, facts: before, check };
    await withOpenFile(files.openToRead(path), (source) =>
      createFileAtomically(files, { ...whole, content: compressZstdStream(fileBlocks(source)) }),
    );
    // Check again now that the other has its name: from here on the plain one is not needed.
    if (!isSame(before, await files.describe(path))) throw new Changed();
    await files.remove(path);
    await files.syncDirectory(dirname(path));
    return { path: target, from: before.size, to: (await files.describe(target))?.size ?? 0 };
  } catch (error) {
    if (!(error instanceof Changed)) throw diskFault(error, 'save', target);
    await files.remove(target);
    return undefined;
  }
}

class Changed extends Error {}

/** Restores the plain file, under the writer lock, before it is written or referred to. A plain one wins. */
export async function restoreRollout(files: JournalDisk, compressed: string): Promise<string> {
  const path = compressed.slice(0, -compressedSuffix.length);
  return withDiskFaults('save', path, async () => {
    const facts = await files.describe(compressed);
    if (facts !== undefined && (await files.describe(path)) === undefined) {
      const whole = { path, temporary: `${path}.tmp`, mode: facts.mode, facts };
      await withOpenFile(openCompressed(files, compressed), (packed) =>
        createFileAtomically(files, { ...whole, content: fileBlocks(packed) }),
      );
    }
    await files.remove(compressed);
    await files.syncDirectory(dirname(path));
    return path;
  });
}

/** Removes a compressed form that a killed process left: the plain file is authoritative. */
export async function removeCompressed(files: JournalDisk, path: string): Promise<void> {
  const compressed = `${path}${compressedSuffix}`;
  await withDiskFaults('remove', compressed, async () => {
    if ((await files.describe(compressed)) === undefined) return;
    await files.remove(compressed);
    await files.syncDirectory(dirname(path));
  });
}

const isSame = (before: FileFacts, now: FileFacts | undefined): boolean =>
  now?.size === before.size && now.modified === before.modified && now.mode === before.mode;

const hashOf = (opening: Promise<OpenFile>): Promise<string> =>
  withOpenFile(opening, async (file) => {
    const hash = createHash('sha256');
    for await (const block of fileBlocks(file)) hash.update(block);
    return hash.digest('hex');
  });

const mega = 1024 * 1024;
const blockSize = mega;
const compressedSuffix = '.zst';
export const isCompressed = (path: string): boolean => path.endsWith(compressedSuffix);
/** Readers that need several places read a file up to this size at once. */
const smallFile = 256 * 1024;

/**
 * Opens a rollout for a list, which reads several places: a small one is kept in memory. The unpacked size of a
 * compressed one is limited, because a few kilobytes must not make every list wait.
 */
export async function openListedRollout(files: JournalDisk, path: string): Promise<OpenFile> {
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

/** Opens a rollout for reading. Unpacks a compressed one as far as it is read. If its form changed, takes the other. */
export async function openRolloutFile(files: JournalDisk, path: string, limits?: UnpackLimits): Promise<OpenFile> {
  try {
    return await openForm(files, path, limits);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    const other = isCompressed(path) ? path.slice(0, -compressedSuffix.length) : `${path}${compressedSuffix}`;
    return openForm(files, other, limits);
  }
}

const openForm = (files: JournalDisk, path: string, limits?: UnpackLimits): Promise<OpenFile> =>
  isCompressed(path) ? openCompressed(files, path, limits) : files.openToRead(path);
type UnpackLimits = (packedSize: number) => { readonly bytes: number; readonly lines: number };

export async function openCompressed(
  files: JournalDisk,
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
/** Real threads hardly compress below a hundredth, since the id and time of each line need space. */
const listedLimits: UnpackLimits = (packedSize) => ({
  bytes: Math.min(mostUnpacked, Math.max(128 * mega, 256 * packedSize)),
  lines: Math.max(100_000, packedSize / 4),
});
/** Holds the newest unpacked bytes. Reading further back unpacks the file from its beginning again. */
const mostHeldBlocks = 32;
/** Longest line, unless twice the packed size is more: a line of pictures hardly compresses. */
const longestPackedLine = 32 * mega;
const newline = 0x0a;
type PackedFile = { readonly path: string; readonly packedSize: number; readonly most: ReturnType<UnpackLimits> };

function unpackedFile(packed: OpenFile, about: PackedFile): OpenFile {
  const { path, packedSize, most } = about;
  const longestLine = Math.max(longestPackedLine, 2 * packedSize);
  const tooLong: ByteRange[] = [];
  /** All have `blockSize` bytes except the last, which grows up to it. */
  let blocks: Buffer[] = [];
  let [start, end, lineStart, lines] = [0, 0, 0, 0];
  let stream: AsyncGenerator<Uint8Array, void> | undefined;
  let size: number | undefined;
  /** Each reading waits for the one before, since readers may overlap. */
  let working: Promise<unknown> = Promise.resolve();

  function hold(bytes: Uint8Array): void {
    for (let rest = bytes; rest.length > 0;) {
      const used = end % blockSize;
      let block = used === 0 && end > start ? undefined : blocks.at(-1);
      if (block === undefined) {
        // Reuse memory: allocating costs more than writing into it.
        const isFull = blocks.length === mostHeldBlocks;
        block = isFull ? blocks.shift()! : Buffer.alloc(0);
        if (isFull) start += blockSize;
        blocks.push(block);
      }
      const piece = rest.subarray(0, blockSize - used);
      if (block.length < used + piece.length) {
        // Most files are small; a full block is likely to be followed by another.
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

  function noteLines(bytes: Uint8Array): void {
    const first = bytes.indexOf(newline);
    if (first === -1) return;
    noteLine(end + first);
    lineStart = end + bytes.lastIndexOf(newline) + 1;
  }

  function noteLine(lineEnd: number): void {
    if (lineEnd - lineStart > longestLine) tooLong.push({ start: lineStart, end: lineEnd });
  }

  async function unpackMore(): Promise<boolean> {
    stream ??= decompressZstdStream(fileBlocks(packed));
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
    // The first lines will be seen again.
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

async function* fileBlocks(file: OpenFile): AsyncGenerator<Uint8Array, void> {
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
