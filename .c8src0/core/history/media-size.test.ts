import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { audioSeconds, imageSize } from './media-sizes.ts';
import { base64ByteReader } from './media-parts.ts';

/** Numbers are bytes, texts are Latin-1. */
const bytes = (...parts: readonly (string | number | readonly number[])[]) =>
  base64ByteReader(
    Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from([part].flat()))),
    ).toString('base64'),
  );
const zeros = (count: number): readonly number[] => Array.from({ length: count }, () => 0);

describe('base64Bytes', () => {
  it('reads the bytes that were written, and nothing beyond', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (written) => {
        const read = base64ByteReader(Buffer.from(written).toString('base64'));
        expect(Array.from({ length: read.length }, (_, index) => read.at(index))).toEqual([...written]);
        expect([read.at(-1), read.at(read.length)]).toEqual([0, 0]);
      }),
    );
  });
});

describe('imageSize', () => {
  const jfif = [0xff, 0xe0, 0, 6, 1, 1, 1, 1];
  it.each([
    ['PNG', bytes('\x89PNG\r\n\x1a\n', 0, 0, 0, 13, 'IHDR', 0, 0, 9, 0, 0, 0, 3, 0x60)],
    ['GIF', bytes('GIF89a', 0, 9, 0x60, 3)],
    ['JPEG', bytes([0xff, 0xd8], jfif, [0xff, 0xff, 0xc0, 0, 17, 8, 3, 0x60, 9, 0])],
    ['progressive JPEG', bytes([0xff, 0xd8, 0xff, 0xc4, 0, 3, 0, 0xff, 0xc2, 0, 17, 8, 3, 0x60, 9, 0])],
    ['WebP', bytes('RIFF', zeros(4), 'WEBPVP8 ', zeros(10), 0, 9, 0x60, 3)],
    ['WebP without loss', bytes('RIFF', zeros(4), 'WEBPVP8L', zeros(4), 0x2f, [0xff, 0xc8, 0xd7, 0])],
    ['WebP with more', bytes('RIFF', zeros(4), 'WEBPVP8X', zeros(8), [0xff, 8, 0, 0x5f, 3, 0])],
  ])('reads a %s', (_format, image) => {
    expect(imageSize(image)).toEqual({ width: 2304, height: 864 });
  });

  it.each([
    ['a text', bytes('not a picture at all')],
    ['a JPEG that ends before its frame', bytes([0xff, 0xd8], jfif)],
    ['a picture without extent', bytes('GIF89a', 0, 0, 0x60, 3)],
    ['nothing', bytes()],
  ])('does not know the size of %s', (_name, image) => {
    expect(imageSize(image)).toBeUndefined();
  });
});

describe('audioSeconds', () => {
  const wavFormat = ['RIFF', zeros(4), 'WAVE', 'fmt ', 16, 0, 0, 0, zeros(8), [0x40, 0x1f, 0, 0], zeros(4)] as const;

  it('divides what a WAV holds by its rate, whatever it claims to hold', () => {
    expect(audioSeconds(bytes(...wavFormat, 'odd!', 1, 0, 0, 0, 7, 0, 'data', 0x80, 0x3e, 0, 0, zeros(16_000)))).toBe(
      2,
    );
    expect(audioSeconds(bytes(...wavFormat, 'data', [0xff, 0xff, 0xff, 0xff], zeros(4000)))).toBe(0.5);
  });

  it('walks the frames of an MP3, whose rates may differ', () => {
    const at128 = [0xff, 0xfb, 0x90, 0, ...zeros(413)];
    const at64 = [0xff, 0xfb, 0x50, 0, ...zeros(204)];
    const tag = ['ID3', 4, 0, 0, 0, 0, 1, 2, zeros(130)] as const;
    expect(audioSeconds(bytes(...tag, at128, at64, at128, 'TAG'))).toBeCloseTo((3 * 1152) / 44_100, 9);
  });

  it.each([
    ['a text', bytes('not a sound')],
    ['a WAV without a rate', bytes('RIFF', zeros(4), 'WAVEdata', 4, 0, 0, 0, zeros(4))],
    ['a WAV whose rate is 0', bytes(...wavFormat.slice(0, 8), zeros(16), 'data', 4, 0, 0, 0, zeros(4))],
  ])('does not know the length of %s', (_name, sound) => {
    expect(audioSeconds(sound)).toBeUndefined();
  });
});
