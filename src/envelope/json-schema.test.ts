import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Json, JsonObject } from '../protocol/json.ts';
import { schemaProblem } from './json-schema.ts';
import { isSafePattern } from './safe-pattern.ts';

const person: JsonObject = {
  type: 'object',
  properties: { name: { type: 'string', minLength: 1 }, age: { type: ['integer', 'null'], minimum: 0 } },
  required: ['name'],
  additionalProperties: false,
};
const tree: JsonObject = {
  $ref: '#/$defs/node',
  $defs: {
    node: {
      type: 'object',
      properties: { value: { type: 'number' }, children: { type: 'array', items: { $ref: '#/$defs/node' } } },
      required: ['value'],
    },
  },
};

test.each<[string, JsonObject, Json, string | undefined]>([
  ['a value that fits', person, { name: 'Ada', age: 36 }, undefined],
  ['one of two types', person, { name: 'Ada', age: null }, undefined],
  ['another type', person, [], 'The answer must be object, not array'],
  ['a member of another type', person, { name: 7 }, 'answer.name must be string, not number'],
  ['a key that is missing', person, {}, 'The answer has no key "name"'],
  ['a key too many', person, { name: 'Ada', height: 1 }, 'The answer must not have the key "height"'],
  ['a fraction', person, { name: 'Ada', age: 1.5 }, 'answer.age must be integer or null, not number'],
  ['less than the least', person, { name: 'Ada', age: -1 }, 'answer.age must be at least 0'],
  ['an empty text', person, { name: '' }, 'answer.name must have at least 1 characters'],
  [
    'further keys under a schema',
    { additionalProperties: { type: 'string' } },
    { 'a b': 1 },
    'answer["a b"] must be string, not number',
  ],
  ['a choice', { enum: ['a', { b: 1, c: 2 }] }, { c: 2, b: 1 }, undefined],
  ['no choice', { enum: ['a', 'b'] }, 'c', 'The answer must be one of "a", "b"'],
  ['a constant', { const: [1] }, [2], 'The answer must be [1]'],
  ['elements', { items: { type: 'string' } }, ['a', 1], 'answer[1] must be string, not number'],
  ['first elements', { prefixItems: [{ type: 'string' }], items: false }, ['a', 1], 'answer[1] is not allowed'],
  ['too few elements', { minItems: 2 }, [1], 'The answer must have at least 2 elements'],
  ['too many elements', { maxItems: 1 }, [1, 2], 'The answer must have at most 1 elements'],
  ['an element twice', { uniqueItems: true }, [{ a: 1 }, { a: 1 }], 'The answer contains an element twice'],
  ['all of', { allOf: [{ type: 'number' }, { maximum: 3 }] }, 4, 'The answer must be at most 3'],
  [
    'any of',
    { anyOf: [{ type: 'number' }, { type: 'null' }] },
    'x',
    'The answer matches none of the 2 schemas of anyOf',
  ],
  [
    'one of',
    { oneOf: [{ type: 'number' }, { minimum: 3 }] },
    4,
    'The answer matches 2 of the 2 schemas of oneOf, not 1',
  ],
  ['not', { not: { type: 'string' } }, 'x', 'The answer matches the schema that "not" forbids'],
  [
    'if and then',
    JSON.parse('{"if": {"type": "string"}, "then": {"maxLength": 1}}') as JsonObject,
    'xy',
    'The answer must have at most 1 characters',
  ],
  ['if and else', { if: { type: 'string' }, else: { type: 'null' } }, 1, 'The answer must be null, not number'],
  [
    'a reference',
    tree,
    { value: 1, children: [{ value: 'x' }] },
    'answer.children[0].value must be number, not string',
  ],
  ['a reference that fits', tree, { value: 1, children: [{ value: 2 }] }, undefined],
  ['a pattern', { pattern: '^[a-z]+$' }, 'A', 'The answer must match ^[a-z]+$'],
  ['open limits', { exclusiveMinimum: 0, exclusiveMaximum: 1 }, 1, 'The answer must be less than 1'],
  ['multiples', { multipleOf: 0.1 }, 0.3, undefined],
  ['no multiple', { multipleOf: 2 }, 3, 'The answer must be a multiple of 2'],
  ['what is unknown', { format: 'email', $ref: 'https://example.com/x', type: 'thing', 'x-y': 1 }, 'x', undefined],
  ['a key of the prototype', { properties: {}, required: ['toString'] }, {}, 'The answer has no key "toString"'],
])('%s', (_, schema, value, problem) => {
  expect(schemaProblem(schema, value)).toBe(problem);
});

describe('a schema that means harm', () => {
  it('is given up: a reference to itself, and forms that double at every depth', () => {
    expect(schemaProblem({ $ref: '#' }, 1)).toBeUndefined();
    const doubled: Record<string, Json> = { a0: { type: 'string' } };
    for (let i = 1; i < 60; i++)
      doubled[`a${i}`] = { anyOf: [{ $ref: `#/$defs/a${i - 1}` }, { $ref: `#/$defs/a${i - 1}` }] };
    // Ends at all: 2^59 forms.
    schemaProblem({ $ref: '#/$defs/a59', $defs: doubled }, 1);
  });

  it.each([
    '(a+)+$',
    '^(a|a)*$',
    '(?=a*)b',
    '^(\\w+\\s?)*$',
    '(a)\\1',
    'a*a*a*a*a*b',
    'x{1,5000}y*z*w*',
    '(',
    '([a-z]+){2,}',
    // Limits that are small each multiply.
    `^(${'[a-z0-9]{0,63}'.repeat(6)})[.]$`,
    `^${'[a-z]{0,99}'.repeat(5)}$`,
    `${'a?'.repeat(30)}${'a'.repeat(30)}`,
    `^${'(?:a|a)'.repeat(30)}$`,
  ])('the pattern %s is not tried', (pattern) => {
    const text = `${'a'.repeat(100)}!`;
    expect(isSafePattern(pattern, text)).toBe(false);
    expect(schemaProblem({ pattern }, text)).toBeUndefined();
  });

  it.each(['^\\d{4}-\\d{2}-\\d{2}$', '^[a-z]+-[0-9]+$', '^(?:foo|bar)$', '^(\\w+)@(\\w+)$', '[*+(]', '\\(a\\)+'])(
    'the pattern %s is',
    (pattern) => {
      expect(isSafePattern(pattern, 'abc')).toBe(true);
    },
  );

  it('any schema and any value are answered', () => {
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
    );
    const schema = fc.dictionary(keywords, fc.oneof(fc.jsonValue(), fc.constantFrom('#', '#/properties/a', 'string')));
    fc.assert(
      fc.property(schema, fc.jsonValue(), (given, value) => {
        expect(['string', 'undefined']).toContain(typeof schemaProblem(given as JsonObject, value as Json));
      }),
    );
  });
});
