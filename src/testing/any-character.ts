import fc from 'fast-check';

const [firstSurrogate, surrogates, last] = [0xd800, 0x800, 0x10_ffff];

/**
 * A unit for `fc.string`: any code point that is no surrogate. `binary` gives the same characters, but holds a table of
 * all of them, which takes every process that uses it a second and a hundred megabytes.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat(last - surrogates)
  .map((index) => String.fromCodePoint(index < firstSurrogate ? index : index + surrogates));
