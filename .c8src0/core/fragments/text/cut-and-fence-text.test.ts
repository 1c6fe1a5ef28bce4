import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutAround, cutText, gapsIn, type TextGap, uncutBytes } from './cut-and-fence-text.ts';
import { sentBytes } from './truncate.ts';

const words = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '"', 'é', '語', '😀', '\ud800', '\u0001', '…', '[') });

describe('a text that is cut again and again', () => {
  test('stands for as much as the original, and stays within the budget', () => {
    fc.assert(
      fc.property(
        words,
        fc.array(fc.integer({ min: 0, max: 120 }), { maxLength: 6 }),
        fc.option(fc.tuple(fc.nat(), fc.nat())),
        (text, rooms, place) => {
          const long = text.repeat(8);
          let cut: ReturnType<typeof cutAround> = { text: long, gaps: [] };
          for (const tokens of rooms) {
            const [a, b] = (place ?? [0, 0]).map((at) => at % (cut.text.length + 1)).toSorted((x, y) => x - y);
            const keep = place === null ? {} : { keep: { start: a!, end: b! } };
            cut = cutAround(cut.text, tokens, { gaps: cut.gaps, ...keep });
            expect(uncutBytes(cut.text, cut.gaps)).toBe(sentBytes(long));
            for (const { start, end, bytes } of cut.gaps)
              expect(cut.text.slice(start, end)).toBe(`\n[… about ${Math.ceil(bytes / 4)} tokens cut here …]\n`);
            // Marks stay however small the space is: at most two new ones and nothing else.
            expect(sentBytes(cut.text)).toBeLessThanOrEqual(Math.max(40, tokens) * 4);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test('keeps the part that matters between its head and its tail, also when it is cut once more', () => {
    const order = 'IMPORTANT: make the pool retry five times, and nothing else.';
    const paste = `${'log line before\n'.repeat(500)}${order}\n${'log line after\n'.repeat(500)}`;
    let cut: ReturnType<typeof cutAround> = { text: paste, gaps: [], keep: { start: 8000, end: 8000 + order.length } };
    for (const tokens of [1000, 400, 100]) {
      cut = cutAround(cut.text, tokens, cut);
      const { start, end } = cut.keep!;
      expect(cut.text.slice(start, end)).toBe(order);
      expect(cut.text).toMatch(
        /^log line before[^]*tokens cut here …\]\n[^]*tokens cut here …\]\n[^]*log line after\n$/,
      );
      expect(uncutBytes(cut.text, cut.gaps)).toBe(sentBytes(paste));
    }
  });

  test('counts what a mark said that no record describes', () => {
    const limited = `${'a'.repeat(2000)}…36836 chars truncated…${'b'.repeat(2000)}`;
    const once = cutText(limited, 300);
    const twice = cutText(once, 100);
    expect([once, twice].map((text) => missingIn(gapsIn(text)) + plain(text))).toEqual([40_836, 40_836].map(near));
  });
});

const missingIn = (gaps: readonly TextGap[]): number => gaps.reduce((sum, { bytes }) => sum + bytes, 0);
const plain = (text: string): number => sentBytes(text.replace(/\n\[… about \d+ tokens cut here …\]\n/g, ''));
/** Marks count whole tokens. */
const near = (bytes: number): unknown => ({
  asymmetricMatch: (given: number) => Math.abs(given - bytes) <= 8,
  toString: () => `about ${bytes}`,
});
