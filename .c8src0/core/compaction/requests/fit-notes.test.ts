import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../fragments/text/truncate.ts';
import { fitNotes } from './history-parts.ts';

const written = (text: string): number => estimateTokens(JSON.stringify(text));

describe('fitNotes', () => {
  it('joins what fits', () => {
    expect(fitNotes(['one', 'two'], 100)).toBe('one\n\ntwo');
  });

  it('cuts the long ones and leaves the short ones', () => {
    const text = fitNotes(['a'.repeat(8000), 'short', 'b'.repeat(8000)], 500);
    expect(written(text)).toBeLessThanOrEqual(500);
    expect(text).toMatch(/^a+…\d+ tokens truncated…a+\n\nshort\n\nb+…\d+ tokens truncated…b+$/);
  });

  it.each([
    [1000, 120],
    [40, 60],
    [3, 10],
    [3, 0],
  ])('keeps %i notes with many line ends within %i tokens', (count, most) => {
    const notes = Array.from({ length: count }, (_, n) => `${n}\n"`.repeat(300));
    expect(written(fitNotes(notes, most))).toBeLessThanOrEqual(Math.max(1, most));
  });
});
