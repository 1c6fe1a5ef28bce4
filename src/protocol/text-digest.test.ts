import fc from 'fast-check';
import { expect, it } from 'vitest';
import { textDigest } from './text-digest.ts';
import { anyCharacter } from '../testing/any-character.ts';

it('is the same for the same text, and has sixteen digits', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      expect(textDigest(text)).toMatch(/^[0-9a-f]{16}$/);
      expect(textDigest(`${text}`)).toBe(textDigest(text));
    }),
  );
});

it('sees every change of one character, every swap and every cut of a long text', () => {
  const text = 'The quick brown fox jumps over the lazy dog. '.repeat(40);
  const variants = new Set<string>([textDigest(text)]);
  for (let i = 0; i < text.length; i++) {
    variants.add(textDigest(`${text.slice(0, i)}#${text.slice(i + 1)}`));
    variants.add(textDigest(text.slice(0, i)));
  }
  expect(variants.size).toBe(1 + 2 * text.length);
});

it('is that of the text, whichever text was digested before', () => {
  const [one, other] = ['a'.repeat(500), 'b'.repeat(500)];
  expect([one, other, one, one, ''].map(textDigest)).toEqual([
    'b1ecbf695e7cc636',
    textDigest(other),
    textDigest(one),
    textDigest(one),
    '811c9dc59dc5811c',
  ]);
});
