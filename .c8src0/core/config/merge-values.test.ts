import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import { mergeValues } from '../policy/profiles/tables/inherited-table.ts';

const table = fc.dictionary(
  fc.constantFrom('a', 'b', '__proto__', 'toString'),
  fc.oneof(fc.integer(), fc.array(fc.integer()), fc.dictionary(fc.constantFrom('a', 'b'), fc.integer())),
) as fc.Arbitrary<JsonObject>;

test('tables merge key by key, lists and scalars are replaced', () => {
  expect(
    mergeValues(
      { model: 'a', roots: [1, 2], nested: { x: 1, deep: { p: 1 } }, kind: { was: 'table' } },
      { model: 'b', roots: [3], nested: { y: 2, deep: { q: 2 } }, kind: 'scalar' },
    ),
  ).toEqual({ model: 'b', roots: [3], nested: { x: 1, y: 2, deep: { p: 1, q: 2 } }, kind: 'scalar' });
});

test('a layer over itself changes nothing, and neither does an empty one', () => {
  fc.assert(
    fc.property(table, (values) => {
      expect(mergeValues(values, values)).toEqual(values);
      expect(mergeValues(values, {})).toEqual(values);
      expect(mergeValues({}, values)).toEqual(values);
    }),
  );
});

test('every key of the upper layer that is no table stands in the result', () => {
  fc.assert(
    fc.property(table, table, (lower, upper) => {
      const merged = mergeValues(lower, upper);
      const replaced = Object.entries(upper).filter(([, value]) => typeof value === 'number' || Array.isArray(value));
      for (const [key, value] of replaced) expect(merged[key]).toEqual(value);
      expect(new Set(Object.keys(merged))).toEqual(new Set([...Object.keys(lower), ...Object.keys(upper)]));
    }),
  );
});
