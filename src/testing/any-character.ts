import fc from 'fast-check';

const [firstSurrogate, surrogates, last] = [0xd800, 0x800, 0x10_ffff];

/** For `fc.string`: any code point except surrogates. `binary` costs every process a second and 100 MB. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat(last - surrogates)
  .map((index) => String.fromCodePoint(index < firstSurrogate ? index : index + surrogates));
