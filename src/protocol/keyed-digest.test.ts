import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keyedDigest } from './keyed-digest.ts';
import { anyCharacter } from '../testing/any-character.ts';

test('is what Node calls HMAC-SHA256, for keys and texts of any length', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 150 }), fc.string({ unit: anyCharacter, maxLength: 300 }), (key, text) => {
      const expected = createHmac('sha256', key).update(text, 'utf8').digest('hex');
      expect(Buffer.from(keyedDigest(key, text)).toString('hex')).toBe(expected);
    }),
    { numRuns: 300 },
  );
});
