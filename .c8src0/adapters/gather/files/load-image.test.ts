import { describe, expect, it } from 'vitest';
import { imageFormat } from './load-image.ts';

type Part = string | number | readonly number[] | Buffer;

/** Numbers are bytes, texts are Latin-1. */
const bytes = (...parts: readonly Part[]): Buffer =>
  Buffer.concat(
    parts.map((part) =>
      typeof part === 'string'
        ? Buffer.from(part, 'latin1')
        : Buffer.from(Buffer.isBuffer(part) ? part : [part].flat()),
    ),
  );
const zeros = (count: number): readonly number[] => Array.from({ length: count }, () => 0);
const big = (value: number): Buffer => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value]);
const little = (value: number): Buffer => Buffer.from(big(value).toReversed());

const signature = '\x89PNG\r\n\x1a\n';
const chunk = (name: string, ...data: readonly Part[]): Buffer =>
  bytes(big(bytes(...data).length), name, ...data, zeros(4));
const header = (width: number, interlaced = 0) => chunk('IHDR', [0, 0, 0, width, 0, 0, 0, 1, 8, 6, 0, 0, interlaced]);
const pixels = chunk('IDAT', [0x78, 0x9c, 0x63, 0, 0, 0, 1, 0, 1]);
const png = bytes(signature, header(1), pixels, chunk('IEND'));

const jfif = [0xff, 0xe0, 0, 6, 1, 1, 1, 1];
/** Metadata that holds a small picture of its own. */
const exif = [0xff, 0xe1, 0, 12, 0xff, 0xd8, 0xff, 0xda, 0, 2, 7, 7, 0xff, 0xd9];
const frame = (kind: number, width = 1) => [0xff, kind, 0, 11, 8, 0, 1, 0, width, 1, 1, 0x11, 0];
const scan = [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0x5f, 0xff, 0, 0x12];
const jpeg = bytes([0xff, 0xd8], jfif, frame(0xc0), scan, [0xff, 0xd9]);

const screen = (flags: number, ...colors: readonly number[]) => bytes('GIF89a', [1, 0, 1, 0, flags, 0, 0], colors);
const delay = [0x21, 0xf9, 4, 0, 10, 0, 0, 0];
const shown = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0];
const gif = bytes(screen(0x80, 0, 0, 0, 255, 255, 255), shown, 0x3b);

const riff = (...chunks: readonly Buffer[]): Buffer =>
  bytes('RIFF', little(4 + bytes(...chunks).length), 'WEBP', ...chunks);
const part = (name: string, ...data: readonly Part[]): Buffer => {
  const { length } = bytes(...data);
  return bytes(name, little(length), ...data, zeros(length % 2));
};
const lossy = part('VP8 ', [0x30, 1, 0, 0x9d, 1, 0x2a, 1, 0, 1, 0, 1, 0x40]);
const lossless = part('VP8L', [0x2f, 0, 0, 0, 0, 7, 0x10]);
const extended = (flags: number) => part('VP8X', [flags, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
const webp = riff(lossy);

describe('imageFormat takes', () => {
  it.each([
    ['png', 'a PNG', png],
    ['png', 'an interlaced PNG', bytes(signature, header(1, 1), pixels, chunk('IEND'))],
    [
      'png',
      'a PNG with notes and pixels in parts',
      bytes(
        signature,
        header(1),
        chunk('tEXt', 'a\0b'),
        chunk('IDAT'),
        pixels,
        pixels,
        chunk('tIME', zeros(7)),
        chunk('IEND'),
      ),
    ],
    [
      'png',
      'an animated PNG',
      bytes(
        signature,
        header(1),
        chunk('acTL', zeros(8)),
        chunk('fcTL', zeros(26)),
        pixels,
        chunk('fdAT', zeros(9)),
        chunk('IEND'),
      ),
    ],
    ['png', 'a PNG with bytes behind it', bytes(png, 'more')],
    ['jpeg', 'a JPEG', jpeg],
    [
      'jpeg',
      'a progressive JPEG',
      bytes([0xff, 0xd8], jfif, frame(0xc2), scan, [0xff, 0xc4, 0, 3, 0], scan, [0xff, 0xd9]),
    ],
    ['jpeg', 'a JPEG with a small picture in its metadata', bytes([0xff, 0xd8], exif, frame(0xc1), scan, [0xff, 0xd9])],
    [
      'jpeg',
      'a JPEG with fill bytes and restart marks',
      bytes([0xff, 0xd8, 0xff], frame(0xc0), [0xff], scan, [0xff, 0xd0, 3, 0xff, 0xff, 0xd9]),
    ],
    ['jpeg', 'a JPEG with bytes behind it', bytes(jpeg, zeros(3000))],
    ['gif', 'a GIF', gif],
    ['gif', 'an old GIF without colours of its own', bytes('GIF87a', [1, 0, 1, 0, 0, 0, 0], shown, 0x3b)],
    [
      'gif',
      'an animated GIF',
      bytes(screen(0), [0x21, 0xff, 11], 'NETSCAPE2.0', [3, 1, 0, 0, 0], delay, shown, 0, delay, shown, 0x3b),
    ],
    [
      'gif',
      'a GIF with colours for one picture',
      bytes(screen(0), [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0x80, 1, 2, 3, 4, 5, 6, 2, 2, 0x44, 1, 0], 0x3b, 'more'),
    ],
    ['webp', 'a WebP', webp],
    ['webp', 'a WebP without loss', riff(lossless)],
    ['webp', 'a WebP without loss and without its last padding', bytes(riff(lossless).subarray(0, -1))],
    ['webp', 'a WebP with alpha and metadata', riff(extended(0x18), part('ALPH', 1, 2, 3), lossy, part('EXIF', 'abc'))],
    [
      'webp',
      'an animated WebP',
      riff(extended(2), part('ANIM', zeros(6)), part('ANMF', zeros(16), lossy), part('ANMF', zeros(16), lossless)),
    ],
    ['webp', 'a WebP with bytes behind it', bytes(webp, 'more')],
  ])('as %s %s', (format, _name, file) => {
    expect(imageFormat(file)).toEqual({ format, whole: true });
  });
});

describe('imageFormat refuses', () => {
  it.each([
    ['png', png],
    ['jpeg', jpeg],
    ['gif', gif.subarray(0, -1)],
    ['webp', webp],
    ['webp', riff(lossless)],
  ])('every beginning of a %s', (format, file) => {
    const signed = format === 'png' ? 8 : format === 'jpeg' ? 3 : format === 'gif' ? 6 : 12;
    // The byte that pads a WebP may be missing.
    const end = file.length - (format === 'webp' && file.readUInt32LE(16) % 2 === 1 ? 1 : 0);
    for (let length = 0; length < end; length++) {
      const expected = length < signed ? undefined : { format, whole: false };
      expect([length, imageFormat(file.subarray(0, length))]).toEqual([length, expected]);
    }
  });

  it.each([
    ['png', 'without extent', bytes(signature, header(0), pixels, chunk('IEND'))],
    ['png', 'without pixels', bytes(signature, header(1), chunk('IDAT'), chunk('IEND'))],
    ['png', 'with a length beyond its end', bytes(signature, header(1), [0xff, 0xff, 0xff, 0xff], 'IDAT', zeros(40))],
    ['jpeg', 'without extent', bytes([0xff, 0xd8], jfif, frame(0xc0, 0), scan, [0xff, 0xd9])],
    ['jpeg', 'without a frame', bytes([0xff, 0xd8], jfif, scan, [0xff, 0xd9])],
    ['jpeg', 'without a scan', bytes([0xff, 0xd8], jfif, frame(0xc0), [0xff, 0xd9])],
    ['jpeg', 'that ends only in its metadata', bytes([0xff, 0xd8], exif, frame(0xc0), scan)],
    ['gif', 'without extent', bytes('GIF89a', [0, 0, 1, 0, 0, 0, 0], shown, 0x3b)],
    ['gif', 'without a picture', bytes(screen(0), delay, 0x3b)],
    ['gif', 'with an unknown block', bytes(screen(0), 0x2d, shown, 0x3b)],
    ['webp', 'without chunks', riff()],
    ['webp', 'without pixels', riff(extended(2), part('ANIM', zeros(6)))],
    ['webp', 'with another start code', riff(part('VP8 ', zeros(4), 1, 0x2a, zeros(10)))],
    ['webp', 'with a chunk beyond its end', riff(bytes('VP8 ', little(0xffff), zeros(20)))],
  ])('a %s %s', (format, _name, file) => {
    expect(imageFormat(file)).toEqual({ format, whole: false });
  });

  it('what models do not take', () => {
    expect(
      [bytes(), bytes('not an image'), bytes('BM', zeros(60)), bytes('RIFF', zeros(4), 'WAVE')].map(imageFormat),
    ).toEqual([undefined, undefined, undefined, undefined]);
  });
});
