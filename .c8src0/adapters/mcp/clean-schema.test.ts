import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import { cleanSchema } from './listed-tools.ts';

const empty = { type: 'object', properties: {} };

test.each<[string, unknown, JsonObject]>([
  ['nothing', undefined, empty],
  ['what is no schema', [1], empty],
  ['no properties', { type: 'object' }, empty],
  ['another type', { type: 'string' }, empty],
  [
    'signs that no one sees',
    { properties: { 'a\u001b[31m': { description: 'x\u202ey\u{e0041}' } }, required: ['a\u001b[31m'] },
    { type: 'object', properties: { 'a[31m': { description: 'xy', type: 'string' } }, required: ['a[31m'] },
  ],
  [
    'boolean schemas and constants',
    { properties: { any: true, kind: { const: 'x' } } },
    { type: 'object', properties: { any: { type: 'string' }, kind: { enum: ['x'], type: 'string' } } },
  ],
  [
    'types that are left out',
    { properties: { list: { items: { minimum: 1 } }, inner: { properties: { a: {} } }, pick: { enum: [1] } } },
    {
      type: 'object',
      properties: {
        list: { items: { minimum: 1, type: 'number' }, type: 'array' },
        inner: { properties: { a: { type: 'string' } }, type: 'object' },
        pick: { enum: [1], type: 'number' },
      },
    },
  ],
  [
    'definitions that are not used',
    {
      type: 'object',
      properties: { a: { $ref: '#/$defs/used' } },
      $defs: { used: { $ref: '#/$defs/inner' }, inner: { type: 'number' }, spare: { type: 'number' } },
    },
    {
      type: 'object',
      properties: { a: { $ref: '#/$defs/used' } },
      $defs: { used: { $ref: '#/$defs/inner' }, inner: { type: 'number' } },
    },
  ],
  [
    'closed objects and maps',
    { type: 'object', properties: {}, additionalProperties: false },
    { type: 'object', properties: {}, additionalProperties: false },
  ],
])('%s', (_, given, expected) => {
  expect(cleanSchema(given)).toEqual(expected);
});

test('a large schema loses its descriptions first, then definitions, depth and compositions', () => {
  const words = 'word '.repeat(300);
  const described = { type: 'object', properties: { a: { type: 'string', description: words.repeat(4) } } };
  expect(cleanSchema(described)).toEqual({ type: 'object', properties: { a: { type: 'string' } } });

  const many = (count: number, of: JsonObject): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`member_${at}`, of]));
  const defined = {
    type: 'object',
    properties: { a: { $ref: '#/$defs/big' }, b: { type: 'number' } },
    $defs: { big: { type: 'object', properties: many(190, { type: 'string' }) } },
  };
  expect(cleanSchema(defined)).toEqual({ type: 'object', properties: { a: {}, b: { type: 'number' } } });

  const deep = {
    properties: { one: { properties: { two: { properties: { three: { properties: many(190, {}) } } } } } },
  };
  expect(JSON.stringify(cleanSchema(deep))).toContain('"three":{"type":"object"}');

  const composed = {
    type: 'object',
    properties: { a: { anyOf: Array.from({ length: 190 }, () => ({ enum: ['some words'] })) } },
  };
  expect(cleanSchema(composed)).toEqual({ type: 'object', properties: { a: {} } });
  expect(cleanSchema({ type: 'object', properties: many(200, { type: 'string', enum: ['some words'] }) })).toEqual(
    empty,
  );
});

test('whatever a server sends, the schema is an object, small, and no deeper than it should be', () => {
  const nested = Array.from({ length: 5000 }).reduce<JsonObject>((inner) => ({ properties: { a: inner } }), {});
  expect(depthOf(cleanSchema(nested))).toBeLessThan(50);
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (given) => {
      const schema = cleanSchema({
        type: 'object',
        properties: { x: given as Json },
        required: ['x'],
        anyOf: given as Json,
      });
      expect(schema['type']).toBe('object');
      expect(isJsonObject(schema['properties'])).toBe(true);
      expect(Buffer.byteLength(JSON.stringify(schema))).toBeLessThanOrEqual(5000);
      // Cleaning what is clean changes nothing, so a listing that was kept is the same as the one that was sent.
      expect(cleanSchema(schema)).toEqual(schema);
    }),
  );
});

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
