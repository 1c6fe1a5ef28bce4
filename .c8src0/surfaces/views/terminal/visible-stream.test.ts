import fc from 'fast-check';
import { expect, it } from 'vitest';
import { VisibleStream } from './screen.ts';
import { visibleText } from './visible-text.ts';

const odd = fc.constantFrom(
  '\r',
  '\n',
  '\r\n',
  '\u001B',
  '\u200D',
  '\uFE0F',
  '👩',
  '🏽',
  'ا',
  'क',
  '\u094D',
  'a',
  ' ',
  '\uD83D',
  '\uDC69',
  '\u202E',
);

it('shows a text in pieces as it shows the whole', () => {
  fc.assert(
    fc.property(fc.array(odd, { maxLength: 12 }), fc.array(fc.nat(20), { maxLength: 5 }), (signs, cuts) => {
      const text = signs.join('');
      const ends = [...new Set([...cuts.map((cut) => Math.min(cut, text.length)), text.length])].toSorted(
        (a, b) => a - b,
      );
      const stream = new VisibleStream();
      const shown = ends.map((end, at) => stream.push(text.slice(ends[at - 1] ?? 0, end))).join('') + stream.end();
      expect(shown).toBe(visibleText(text));
    }),
    { numRuns: 2000 },
  );
});
