import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toOneLine } from '../../../core/state/turns/turn-words.ts';
import { collapseBlanks } from './thread-summary.ts';

const texts = fc.string({ unit: fc.constantFrom(' ', '\n', '\t', '\0', '\u00a0', '\u2028', 'a', 'ü'), maxLength: 12 });

it('blanks of all kinds become one', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(collapseBlanks(text)).toBe(text.replaceAll(/[\s\0]+/g, ' '));
      expect(toOneLine(text, 100)).toBe(text.replaceAll(/\s+/g, ' ').trim());
    }),
  );
});
