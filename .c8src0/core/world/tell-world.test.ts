import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import { applyMergePatch, makeMergePatch } from './tell-world.ts';

const value = fc.letrec<{ value: unknown; object: JsonObject }>((tie) => ({
  value: fc.oneof(fc.integer(), fc.boolean(), fc.string(), fc.array(fc.constantFrom(null, 1, 'a')), tie('object')),
  object: fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__x'), tie('value'), {
    maxKeys: 3,
  }) as fc.Arbitrary<JsonObject>,
}));

it('a patch turns the one into the other, and there is none between equals', () => {
  fc.assert(
    fc.property(value.object, value.object, (before, now) => {
      const patch = makeMergePatch(before, now);
      expect(patch === undefined ? before : applyMergePatch(before, patch)).toEqual(now);
      expect(makeMergePatch(now, now)).toBeUndefined();
    }),
  );
});
