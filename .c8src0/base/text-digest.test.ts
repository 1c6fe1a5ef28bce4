import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shortTextHash } from './digest.ts';
import { anyCharacter } from '../testing/test-inputs.ts';

it('is the same for the same text, and has sixteen digits', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      expect(shortTextHash(text)).toMatch(/^[0-9a-f]{16}$/);
      expect(shortTextHash(`${text}`)).toBe(shortTextHash(text));
    }),
  );
});

it('sees every change of one character, every swap and every cut of a long text', () => {
  const text = 'The quick brown fox jumps over the lazy dog. '.repeat(40);
  const variants = new Set<string>([shortTextHash(text)]);
  for (let i = 0; i < text.length; i++) {
    variants.add(shortTextHash(`${text.slice(0, i)}#${text.slice(i + 1)}`));
    variants.add(shortTextHash(text.slice(0, i)));
  }
  expect(variants.size).toBe(1 + 2 * text.length);
});

it('is that of the text, whichever text was digested before', () => {
  const [one, other] = ['a'.repeat(500), 'b'.repeat(500)];
  expect([one, other, one, one, ''].map(shortTextHash)).toEqual([
    'b1ecbf695e7cc636',
    shortTextHash(other),
    shortTextHash(one),
    shortTextHash(one),
    '811c9dc59dc5811c',
  ]);
});
