import { promiseValue } from './node-files.ts';

/** Zstandard, as Codex uses it for rollouts. Node's zlib is loaded on use: it costs a start 1.5 ms. */

export const compressZstd = (bytes: Uint8Array): Promise<Buffer> =>
  promiseValue((done) => process.getBuiltinModule('node:zlib').zstdCompress(bytes, done));

/** Rejects when the bytes are not a whole Zstandard frame, or unpack to more than the limit. */
export function decompressZstd(bytes: Uint8Array, { maxBytes }: { readonly maxBytes: number }): Promise<Buffer> {
  const options = { maxOutputLength: maxBytes };
  return promiseValue((done) => process.getBuiltinModule('node:zlib').zstdDecompress(bytes, options, done));
}

export const compressZstdStream = (blocks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> =>
  throughStream(blocks, process.getBuiltinModule('node:zlib').createZstdCompress());
/** Window that a compressed file may require, as a power of two: sufficient for levels up to 19. */
const mostWindowBits = 23;
/** Output buffer per call: each call is a round trip to a thread. */
const unpackedBytes = 256 * 1024;

/** The content of all frames in order. Throws at bytes that are not Zstandard. */
export function decompressZstdStream(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const { createZstdDecompress, constants } = process.getBuiltinModule('node:zlib');
  const params = { [constants.ZSTD_d_windowLogMax]: mostWindowBits };
  return throughStream(cutAtFrameEnds(blocks), createZstdDecompress({ params, chunkSize: unpackedBytes }));
}

/**
 * Node's decompressor drops the rest of a piece in which a frame ends, but reads on if the next frame comes as another
 * piece; so pieces are cut at frame ends. Skippable frames are left out. Nothing is validated here: malformed bytes go
 * to the decompressor, which refuses them.
 */
async function* cutAtFrameEnds(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let next: 'frame' | 'block' | 'end' = 'frame';
  let ahead = 0;
  let hasChecksum = false;
  let skipped: Uint8Array | undefined;
  let rest: Uint8Array = new Uint8Array();
  for await (const block of blocks) {
    const bytes = Buffer.concat([rest, block]);
    let [start, at] = [0, 0];
    for (;;) {
      const passed = Math.min(ahead, bytes.length - at);
      at += passed;
      ahead -= passed;
      if (ahead > 0) break;
      if (next === 'end') {
        if (skipped === undefined && at > start) yield bytes.subarray(start, at);
        [next, start, skipped] = ['frame', at, undefined];
      }
      const header: FrameHeader | 'torn' =
        next === 'frame' ? frameHeader(bytes, at) : blockHeader(bytes, at, hasChecksum);
      if (header === 'torn') break;
      if (header.kind === 'skippable') skipped = Uint8Array.from(bytes.subarray(at, at + 8));
      if (header.kind === 'frame') hasChecksum = header.hasChecksum;
      [next, ahead] = [header.next, header.length];
    }
    if (skipped === undefined && at > start) yield bytes.subarray(start, at);
    rest = bytes.subarray(at);
  }
  // The decompressor then detects that the end is missing.
  if (skipped !== undefined) yield skipped;
  else if (rest.length > 0) yield rest;
}

/** `length` is the distance from the beginning of this header to `next`. */
type FrameHeader =
  | { readonly kind: 'frame'; readonly length: number; readonly next: 'block'; readonly hasChecksum: boolean }
  | { readonly kind: 'skippable' | 'block' | 'unknown'; readonly length: number; readonly next: 'block' | 'end' };

/** RFC 8878, sections 3.1.1.1 and 3.1.2. */
function frameHeader(bytes: Buffer, at: number): FrameHeader | 'torn' {
  if (bytes.length - at < 8) return 'torn';
  const magic = bytes.readUInt32LE(at);
  if (magic >>> 4 === 0x184d2a5) return { kind: 'skippable', length: 8 + bytes.readUInt32LE(at + 4), next: 'end' };
  if (magic !== 0xfd2fb528) return { kind: 'unknown', length: Infinity, next: 'end' };
  const flags = bytes.readUInt8(at + 4);
  const isSingleSegment = (flags & 0x20) !== 0;
  const windowBytes = isSingleSegment ? 0 : 1;
  const dictionaryBytes = [0, 1, 2, 4][flags & 3]!;
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][flags >>> 6]!;
  const length = 5 + windowBytes + dictionaryBytes + sizeBytes;
  return { kind: 'frame', length, next: 'block', hasChecksum: (flags & 4) !== 0 };
}

/** RFC 8878, section 3.1.1.2. A block that repeats one byte holds that byte alone. */
function blockHeader(bytes: Buffer, at: number, hasChecksum: boolean): FrameHeader | 'torn' {
  if (bytes.length - at < 3) return 'torn';
  const header = bytes.readUIntLE(at, 3);
  const isLast = (header & 1) !== 0;
  const isRepeated = ((header >>> 1) & 3) === 1;
  const length = 3 + (isRepeated ? 1 : header >>> 3) + (isLast && hasChecksum ? 4 : 0);
  return { kind: 'block', length, next: isLast ? 'end' : 'block' };
}

async function* throughStream(blocks: AsyncIterable<Uint8Array>, stream: NodeJS.ReadWriteStream) {
  const { Readable, pipeline } = process.getBuiltinModule('node:stream');
  // Errors of either side reach the reader of the stream.
  pipeline(Readable.from(blocks), stream, () => {});
  for await (const block of stream) yield block as Uint8Array;
}
