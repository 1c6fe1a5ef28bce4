import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../protocol/json.ts';
import { findSchemaMismatch, firstUncheckedKeyword } from './json-schema.ts';

const nested = (levels: number, inner: string): string => '['.repeat(levels) + inner + ']'.repeat(levels);

describe('a schema that means harm', () => {
  it('is given up: a reference to itself, and forms that double at every depth', async () => {
    expect(await findSchemaMismatch({ $ref: '#' }, 1)).toBeUndefined();
    expect(await findSchemaMismatch({ allOf: [{ $ref: '#' }, { $ref: '#' }] }, 1)).toBeUndefined();
    const doubled: Record<string, Json> = { a0: { type: 'string' } };
    for (let i = 1; i < 60; i++)
      doubled[`a${i}`] = { anyOf: [{ $ref: `#/$defs/a${i - 1}` }, { $ref: `#/$defs/a${i - 1}` }] };
    // Ends at all: 2^59 forms.
    await findSchemaMismatch({ $ref: '#/$defs/a59', $defs: doubled }, 1);
  });

  // A matcher that goes back would need years for each.
  const slow = ['^(a+)+$', '^(a|a)*$', '^(\\w+\\s?)*$', 'a*a*a*a*a*b', '([a-z]+){2,}$', `^(?:a?){30}a{30}$`];
  const text = `${'a'.repeat(100)}!`;

  it.each(slow)('the pattern %s is tried in linear time', async (pattern) => {
    const says = `must match ${pattern}`;
    expect(await findSchemaMismatch({ pattern }, text)).toEqual({ path: [], says });
    expect(await findSchemaMismatch({ $ref: '#/$defs/a', $defs: { a: { items: { pattern } } } }, [text])).toEqual({
      path: [0],
      says,
    });
    const closed: JsonObject = { patternProperties: { [pattern]: true }, additionalProperties: false };
    expect(await findSchemaMismatch(closed, { [text]: 1 })).toEqual({
      path: [],
      says: `must not have the key "${text}"`,
    });
    expect(await findSchemaMismatch({ properties: { a: closed } }, { a: { [text]: 1 } })).toMatchObject({
      path: ['a'],
    });
  });

  it.each(['(', '(?=a*)b', '(a)\\1', '(a{1000}){1000}', `(${'x'.repeat(20_000)})`])(
    'the pattern %s is not tried, and keys may match it',
    async (pattern) => {
      const closed: JsonObject = { patternProperties: { [pattern]: false }, additionalProperties: false };
      expect(await findSchemaMismatch({ pattern }, text)).toBeUndefined();
      expect(await findSchemaMismatch(closed, { a: 1 })).toBeUndefined();
    },
  );

  it('many patterns for many keys come to an end', async () => {
    const patterns = Array.from(
      { length: 2000 },
      (_, i) => [`^(?:k${i}|[a-z]{1,50}){20}$`, { type: 'string' }] as const,
    );
    const keys = Array.from({ length: 5000 }, (_, i) => [`k${i}`.repeat(10), i] as const);
    expect(
      await findSchemaMismatch({ patternProperties: Object.fromEntries(patterns) }, Object.fromEntries(keys)),
    ).toBeUndefined();
  });

  it('what nests too deeply is not judged', async () => {
    const deep = JSON.parse(nested(100_000, '')) as Json;
    expect(await findSchemaMismatch({ type: 'string' }, deep)).toBeUndefined();
    expect(await findSchemaMismatch({ type: 'string', not: deep }, 1)).toBeUndefined();
    expect(await findSchemaMismatch({ items: { $ref: '#' } }, deep)).toBeUndefined();
    const schema = JSON.parse(`${'{"items":'.repeat(100_000)}{}${'}'.repeat(100_000)}`) as JsonObject;
    expect(await findSchemaMismatch(schema, [])).toBeUndefined();
  });

  it('a value of a hundred levels is judged', async () => {
    const levels = JSON.parse(nested(100, '1')) as Json;
    expect(await findSchemaMismatch({ type: ['array', 'string'], items: { $ref: '#' } }, levels)).toEqual({
      path: Array<number>(100).fill(0),
      says: 'must be array or string, not number',
    });
  });

  it('a thousand forms are judged, and a thousand of a thousand are given up', async () => {
    const forms = Array.from({ length: 1000 }, (_, i) => ({ const: i }));
    expect(await findSchemaMismatch({ anyOf: forms }, 999)).toBeUndefined();
    expect(await findSchemaMismatch({ anyOf: forms }, 1000)).toMatchObject({
      says: 'matches none of the 1000 schemas of anyOf',
    });
    const outer = forms.map(() => ({ $ref: '#/$defs/inner' }));
    expect(await findSchemaMismatch({ anyOf: outer, $defs: { inner: { anyOf: forms } } }, 1000)).toBeUndefined();
  });

  it('addresses below addresses are given up', async () => {
    let schema: JsonObject = { type: 'string' };
    for (let i = 0; i < 60; i++) schema = { $id: `https://example.com/${i}`, items: schema };
    expect(await findSchemaMismatch(schema, [1])).toBeUndefined();
    expect(await findSchemaMismatch({ ...schema, type: 'string' }, [1])).toMatchObject({ path: [] });
  });

  it('large values are no way around the bounds', async () => {
    const keys = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, i]));
    const forms = Array.from({ length: 1000 }, () => ({ properties: { a: true }, minProperties: 1e6 }));
    expect(await findSchemaMismatch({ anyOf: forms }, keys)).toBeUndefined();
    const list = Array.from({ length: 50_000 }, (_, i) => i);
    expect(await findSchemaMismatch({ uniqueItems: true }, [...list, 0])).toMatchObject({
      says: 'contains an element twice',
    });
    expect(await findSchemaMismatch({ uniqueItems: true }, list)).toBeUndefined();
    const long = 'x'.repeat(1_000_000);
    const lengths = Array.from({ length: 1000 }, () => ({ minLength: 2e6 }));
    expect(await findSchemaMismatch({ anyOf: lengths }, long)).toBeUndefined();
    expect(await findSchemaMismatch({ anyOf: lengths.slice(0, 20) }, long)).toMatchObject({ path: [] });
    const choices = Array.from({ length: 1000 }, () => ({ $ref: '#/$defs/a' }));
    const names = list.map((i) => `name ${i}`);
    expect(await findSchemaMismatch({ anyOf: choices, $defs: { a: { enum: names } } }, 'a')).toBeUndefined();
    expect(await findSchemaMismatch({ anyOf: choices, $defs: { a: { required: names } } }, {})).toBeUndefined();
  });

  it('any schema and any value are answered', async () => {
    const keywords = fc.constantFrom(
      'type',
      'enum',
      'const',
      'properties',
      'required',
      'additionalProperties',
      'items',
      'prefixItems',
      'anyOf',
      'oneOf',
      'allOf',
      'not',
      'if',
      'then',
      '$ref',
      'minimum',
      'minLength',
      'pattern',
      'uniqueItems',
      'multipleOf',
      'patternProperties',
      'propertyNames',
      'contains',
      'minContains',
      'maxContains',
      'dependencies',
      'dependentRequired',
      'dependentSchemas',
      'unevaluatedProperties',
      'unevaluatedItems',
      'additionalItems',
      '$id',
      '$anchor',
      '$schema',
      '$recursiveRef',
    );
    const values = fc.constantFrom<Json>('#', '#/properties/a', 'string', false, true, 1, { '^': false }, [
      { type: 'object' },
    ]);
    const { schema } = fc.letrec<{ schema: Json }>((tie) => ({
      schema: fc.oneof({ maxDepth: 4 }, fc.dictionary(keywords, fc.oneof(fc.jsonValue(), values, tie('schema')))),
    }));
    await fc.assert(
      fc.asyncProperty(schema, fc.jsonValue(), async (given, value) => {
        expect(['string', 'undefined']).toContain(
          typeof (await findSchemaMismatch(given as JsonObject, value as Json))?.says,
        );
        expect(['string', 'undefined']).toContain(typeof (await firstUncheckedKeyword(given as JsonObject)));
      }),
    );
  });
});

describe('what is not judged', () => {
  it.each<[JsonObject, string | undefined]>([
    [{ properties: { a: { type: 'strng' } } }, '#/properties/a/type'],
    [{ properties: { a: { type: 'string' }, b: { $ref: '#/$defs/nope' } } }, '#/properties/b/$ref'],
    [{ items: { $ref: 'https://example.com/other.json' } }, '#/items/$ref'],
    [{ $ref: '#/$defs/a', $defs: { a: { pattern: '(a' } } }, '#/$defs/a/pattern'],
    [{ anyOf: [{ pattern: 'a' }, { pattern: '(?=a)b' }] }, '#/anyOf/1/pattern'],
    [{ patternProperties: { '^x': true, '(?!y)': true } }, '#/patternProperties/(?!y)'],
    [{ properties: { 'a/b %': { required: 'c' } } }, '#/properties/a/b %/required'],
    [{ $id: 'https://example.com/a', properties: { a: { minimum: '3' } } }, '#/properties/a/minimum'],
    [{ $dynamicRef: '#a' }, '#/$dynamicRef'],
    [{ properties: { a: { $ref: 'http://[' } } }, '#/properties/a/$ref'],
    [JSON.parse(`${'{"items":'.repeat(100_000)}{}${'}'.repeat(100_000)}`) as JsonObject, '#'],
    [
      { type: 'string', format: 'date', title: 'a', 'x-own': { type: 'strng' }, examples: [{ type: 'strng' }] },
      undefined,
    ],
    [
      {
        type: ['string', 'null'],
        enum: ['a', { type: 'strng' }],
        const: { type: 'strng' },
        default: { $ref: '#/none' },
      },
      undefined,
    ],
    [
      { properties: { type: { $ref: '#' }, a: { $ref: '#/$defs/a' } }, $defs: { a: { pattern: '^(a+)+$' } } },
      undefined,
    ],
    [{ dependencies: { type: ['a'], b: { items: [{}, true] } }, additionalProperties: false }, undefined],
    [{ $defs: { unused: { type: 'strng' } } }, undefined],
    [{ prefixItems: Array.from({ length: 500 }, (_, at) => ({ pattern: `^[a-z]{50}${at % 2}$` })) }, undefined],
  ])('%#: is named by its place', async (schema, place) => {
    expect(await firstUncheckedKeyword(schema)).toBe(place);
  });
});
