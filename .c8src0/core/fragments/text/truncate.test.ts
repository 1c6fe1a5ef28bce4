import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byteLength, truncateMiddle } from './truncate.ts';
import { anyCharacter } from '../../../testing/test-inputs.ts';

describe('truncateMiddle', () => {
  it('leaves the marker alone when there is no budget', () => {
    expect(truncateMiddle('abcdef', { mode: 'tokens', limit: 0 })).toBe('…2 tokens truncated…');
    expect(truncateMiddle('', { mode: 'tokens', limit: 0 })).toBe('');
  });

  it('counts removed characters in byte mode', () => {
    expect(truncateMiddle('abcdefghij', { mode: 'bytes', limit: 4 })).toBe('ab…6 chars truncated…ij');
  });

  it('keeps whole characters at the cut', () => {
    const cut = truncateMiddle(`${'😀'.repeat(10)} and a tail of text`, { mode: 'tokens', limit: 8 });
    expect(cut).toBe('😀😀😀😀…7 tokens truncated…d a tail of text');
  });

  it('keeps what fits, and never keeps more than the budget and its marker', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.nat(60), (text, limit) => {
        const whole = text.isWellFormed() ? text : text.toWellFormed();
        const cut = truncateMiddle(whole, { mode: 'bytes', limit });
        const kept = byteLength(cut.replace(/…\d+ chars truncated…/, ''));
        expect(byteLength(whole) <= limit ? cut === whole : kept <= limit).toBe(true);
        expect(cut.isWellFormed()).toBe(true);
      }),
    );
  });
});
