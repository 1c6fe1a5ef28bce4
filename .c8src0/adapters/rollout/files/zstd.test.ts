import { constants, createZstdCompress, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { compressZstdStream, decompressZstdStream } from './zstd.ts';

async function* inBlocks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function whole(blocks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(blocks));
}

const unpacked = (bytes: Uint8Array, size: number): Promise<Buffer> =>
  whole(decompressZstdStream(inBlocks(bytes, size)));

function skippable(size: number, kind = 0): Buffer {
  const frame = Buffer.alloc(8 + size, 0x28);
  frame.writeUInt32LE(0x184d2a50 + kind, 0);
  frame.writeUInt32LE(size, 4);
  return frame;
}

/** A frame whose header does not say how long the content is, as programs write that do not know it yet. */
async function streamed(text: Buffer, params: Readonly<Record<number, number>>): Promise<Buffer> {
  const stream = createZstdCompress({ params });
  stream.write(text.subarray(0, 10));
  stream.flush();
  stream.end(text.subarray(10));
  return Buffer.concat(await Array.fromAsync(stream as AsyncIterable<Buffer>));
}

const checksum = { [constants.ZSTD_c_checksumFlag]: 1 };
// Neither repeats nor patterns: blocks that are stored, not compressed.
const noise = Buffer.from(Array.from({ length: 300_000 }, (_, at) => Math.imul(at ^ (at >>> 3), 0x9e3779b1) >>> 24));
const contents = ['one\n'.repeat(100_000), 'two\n', '', 'x'.repeat(400_000), 'three\n'.repeat(30)].map((text) =>
  Buffer.from(text),
);
const text = Buffer.concat([...contents, noise, ...contents, ...contents]);
const frames = Buffer.concat([
  skippable(0),
  ...contents.map((content) => zstdCompressSync(content)),
  zstdCompressSync(noise, { params: checksum }),
  skippable(70_000, 15),
  ...(await Promise.all(contents.map((content) => streamed(content, checksum)))),
  ...(await Promise.all(contents.map((content) => streamed(content, {})))),
  skippable(3, 7),
]);

test.each([7, 64, 4099, 10_000_000])('several frames are read as one text, in blocks of %d bytes', async (size) => {
  expect((await unpacked(frames, size)).equals(text)).toBe(true);
});

test('a frame for each byte, in blocks of a byte', async () => {
  const each = Buffer.concat(Array.from('each byte\n', (sign) => zstdCompressSync(Buffer.from(sign))));
  expect((await unpacked(each, 1)).toString()).toBe('each byte\n');
});

test('what was compressed comes back', async () => {
  const back = decompressZstdStream(compressZstdStream(inBlocks(text, 65_536)));
  expect((await whole(back)).equals(text)).toBe(true);
});

const first = zstdCompressSync(contents[0]!);
const second = zstdCompressSync(noise, { params: checksum });
test.each([
  ['other bytes', Buffer.from('These bytes are no frame.')],
  ['zeros', Buffer.alloc(4096)],
  ['a single other byte', Buffer.from('x')],
  ['a magic number alone', second.subarray(0, 4)],
  ['half a header', second.subarray(0, 6)],
  ['a header without blocks', second.subarray(0, 9)],
  ['half a block', second.subarray(0, 1000)],
  ['half a checksum', second.subarray(0, -2)],
  ['half a skippable frame', skippable(50).subarray(0, 20)],
  ['half the header of a skippable frame', skippable(50).subarray(0, 6)],
  ['a frame that was changed', Buffer.concat([second.subarray(0, -1), Buffer.from([second.at(-1)! ^ 1])])],
])('behind a frame are an error: %s', async (_name, rest) => {
  for (const size of [1009, 10_000_000]) {
    await expect(unpacked(Buffer.concat([first, rest]), size)).rejects.toMatchObject({
      code: expect.stringMatching(/^Z/),
    });
  }
});
