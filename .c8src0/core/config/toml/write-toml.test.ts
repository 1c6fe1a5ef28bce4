import fc from 'fast-check';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../protocol/json.ts';
import { writeToml } from './write-toml.ts';

test('keys before tables, each with what there is to say about it', () => {
  const values = { table: { b: 1, inner: { c: 'x' } }, a: ['p', { q: true }], empty: {}, 'odd key': 0.5 };
  expect(writeToml(values, { comment: (path) => (path.at(-1) === 'b' ? undefined : path.join('/')) })).toBe(
    `a = ["p", { q = true }]  # a
empty = {}  # empty
"odd key" = 0.5  # odd key

[table]
b = 1

[table.inner]
c = "x"  # table/inner/c
`,
  );
  expect(writeToml({})).toBe('');
});

const { table } = fc.letrec<{ table: JsonObject; value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.integer(),
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary-ascii' }),
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('table'),
  ),
  table: fc.dictionary(fc.string({ unit: 'grapheme' }), tie('value'), { maxKeys: 4 }),
}));

test('whatever is written is read back as it was', () => {
  fc.assert(
    fc.property(table, (values) => {
      expect(JSON.parse(JSON.stringify(parse(writeToml(values))))).toEqual(JSON.parse(JSON.stringify(values)));
    }),
  );
  expect(parse(writeToml({ a: Infinity, b: -Infinity, c: NaN }))).toEqual({ a: Infinity, b: -Infinity, c: NaN });
});
