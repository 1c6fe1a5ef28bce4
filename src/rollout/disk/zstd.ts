/** Zstandard, as Codex uses it for rollouts. Node's zlib is loaded when it is needed: it costs a start 1.5 ms. */

export function zstdCompressed(bytes: Uint8Array): Promise<Buffer> {
  return packed((done) => process.getBuiltinModule('node:zlib').zstdCompress(bytes, done));
}

/** Rejects when the bytes are not a whole Zstandard frame, or unpack to more than the limit. */
export function zstdDecompressed(bytes: Uint8Array, { maxBytes }: { readonly maxBytes: number }): Promise<Buffer> {
  const options = { maxOutputLength: maxBytes };
  return packed((done) => process.getBuiltinModule('node:zlib').zstdDecompress(bytes, options, done));
}

function packed(run: (done: (error: Error | null, bytes: Buffer) => void) => void): Promise<Buffer> {
  return new Promise((resolve, reject) => run((error, bytes) => (error === null ? resolve(bytes) : reject(error))));
}

/** The blocks of a file as they come, compressed. */
export function zstdCompressing(blocks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return throughStream(blocks, process.getBuiltinModule('node:zlib').createZstdCompress());
}

/** Memory that a compressed file may ask for, as a power of two: what the levels up to 19 need. */
const mostWindowBits = 23;
/** Output buffer of one call: each call goes through another thread. */
const unpackedBytes = 256 * 1024;

/** The other way round. Throws where the bytes are no longer Zstandard. */
export function zstdDecompressing(blocks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const { createZstdDecompress, constants } = process.getBuiltinModule('node:zlib');
  const params = { [constants.ZSTD_d_windowLogMax]: mostWindowBits };
  return throughStream(blocks, createZstdDecompress({ params, chunkSize: unpackedBytes }));
}

async function* throughStream(
  blocks: AsyncIterable<Uint8Array>,
  stream: NodeJS.ReadWriteStream,
): AsyncGenerator<Uint8Array, void> {
  const { Readable, pipeline } = process.getBuiltinModule('node:stream');
  // Errors of either side reach the reader of the stream.
  pipeline(Readable.from(blocks), stream, () => {});
  for await (const block of stream) yield block as Uint8Array;
}
