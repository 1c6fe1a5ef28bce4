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

/** The other way round. Throws where the bytes are no longer Zstandard. */
export function zstdDecompressing(blocks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return throughStream(blocks, process.getBuiltinModule('node:zlib').createZstdDecompress());
}

async function* throughStream(
  blocks: AsyncIterable<Uint8Array>,
  stream: NodeJS.ReadWriteStream,
): AsyncGenerator<Uint8Array, void> {
  const { Readable, pipeline } = process.getBuiltinModule('node:stream');
  // Errors of either side reach the reader of the stream.
  pipeline(Readable.from(blocks), stream, () => {});
  for await (const block of stream) yield Buffer.from(block as Uint8Array);
}
