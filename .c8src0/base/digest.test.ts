import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keyedTextHash, textHash, sha1 } from './digest.ts';
import { anyCharacter } from '../testing/test-inputs.ts';

test('digests are those of node:crypto, for keys and texts of any length', () => {
  const text = fc.string({ unit: anyCharacter, maxLength: 300 });
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 150 }), text, (key, said) => {
      const keyed = createHmac('sha256', key).update(said, 'utf8').digest();
      expect(keyedTextHash(key, said).equals(keyed)).toBe(true);
      const plain = createHmac('sha256', '').update(said, 'utf8').digest('hex');
      expect([textHash(said), textHash(said, 4)]).toEqual([plain, plain.slice(0, 8)]);
      expect(sha1(key).equals(createHash('sha1').update(key).digest())).toBe(true);
    }),
    { numRuns: 300 },
  );
});
