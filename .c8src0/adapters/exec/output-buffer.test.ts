import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOutputBuffer } from './output-buffer.ts';

function feed(limit: number, chunks: readonly Uint8Array[]) {
  const buffer = createOutputBuffer(limit);
  for (const chunk of chunks) buffer.add(chunk);
  return buffer.result();
}

/** A text, and the same text in pieces of any size, also cut in the middle of characters. */
const choppedText = fc
  .tuple(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.array(fc.nat(20), { maxLength: 30 }))
  .map(([text, sizes]) => {
    const bytes = Buffer.from(text);
    const chunks: Uint8Array[] = [];
    let at = 0;
    for (const size of sizes) chunks.push(bytes.subarray(at, (at += size)));
    return { text, bytes, chunks: [...chunks, bytes.subarray(at)] };
  });

test('what fits comes back whole, however it was chopped', () => {
  fc.assert(
    fc.property(choppedText, fc.nat(10), ({ text, bytes, chunks }, spare) => {
      expect(feed(bytes.length + spare, chunks)).toEqual({ text, totalBytes: bytes.length });
    }),
  );
});

test('what does not fit keeps its beginning and its end, whole characters, and an honest count', () => {
  fc.assert(
    fc.property(choppedText, fc.nat(50), ({ text, bytes, chunks }, limit) => {
      fc.pre(bytes.length > limit && !text.includes('omitted'));
      const result = feed(limit, chunks);
      expect(result.totalBytes).toBe(bytes.length);
      const [, before, omitted, after] =
        /^([^]*?)\.\.\. (\d+) bytes(?: in \d+ lines?)? omitted \.\.\.\n([^]*)$/.exec(result.text) ?? [];
      const start = before?.replace(/\n$/, '') ?? '';
      expect(text.startsWith(start)).toBe(true);
      expect(text.endsWith(after as string)).toBe(true);
      expect(Number(omitted) + Buffer.byteLength(after as string)).toBeGreaterThanOrEqual(bytes.length - limit / 2 - 4);
      expect(Buffer.byteLength(start) + Buffer.byteLength(after as string)).toBeLessThanOrEqual(limit);
      expect(Buffer.byteLength(start) + Buffer.byteLength(after as string)).toBeGreaterThanOrEqual(limit - 6);
    }),
  );
});

test('the cut stands on a line of its own', () => {
  expect(feed(8, [Buffer.from('abcdEFGHIJKLwxyz')]).text).toBe('abcd\n... 8 bytes omitted ...\nwxyz');
  expect(feed(8, [Buffer.from('abc\nEFGHIJKLwxyz')]).text).toBe('abc\n... 8 bytes omitted ...\nwxyz');
});

test('the lines that are missing are counted, wherever the cut falls', () => {
  expect(feed(8, [Buffer.from('a\nb\nc\nd\ne\nf\ng\nh\n')]).text).toBe(
    'a\nb\n... 8 bytes in 4 lines omitted ...\ng\nh\n',
  );
  expect(feed(6, [Buffer.from('abc'), Buffer.from('d\ne\nf\ngh')]).text).toBe(
    'abc\n... 5 bytes in 1 line omitted ...\n\ngh',
  );
});

test('broken UTF-8 is replaced, a byte order mark stays', () => {
  expect(feed(100, [Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xff, 0xc3])]).text).toBe('\uFEFFa\uFFFD\uFFFD');
});

test('no limit worth the name keeps nothing but the count', () => {
  expect(feed(0, [Buffer.from('abc')])).toEqual({ text: '... 3 bytes omitted ...\n', totalBytes: 3 });
});
