import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../protocol/json.ts';
import { answerProblem } from './check-answer-schema.ts';

/** The sentence about the value alone. */
async function problemWith(schema: JsonObject, value: Json): Promise<string | undefined> {
  const problem = await answerProblem(schema, JSON.stringify(value));
  return problem?.message.replace(/^The answer does not match the output schema. (.*)\.$/s, '$1');
}

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

const coded: JsonObject = { patternProperties: { '^n_': { type: 'number' } }, additionalProperties: false };
const odd =
  '{"$schema":{"toString":1},"$id":{"a":1},"type":[],"enum":"a","required":{"a":1},"properties":7,"items":null,' +
  '"minimum":"a","anyOf":[],"oneOf":{},"not":3,"$ref":5,"dependentRequired":{"a":null},"pattern":["("],' +
  '"patternProperties":{"(":false},"multipleOf":0,"uniqueItems":"x","dependencies":[1]}';

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
  ['keys by a pattern', coded, { n_a: 1 }, undefined],
  ['a key by a pattern', coded, { n_a: 'x' }, 'answer.n_a must be number, not string'],
  ['a key that no pattern covers', coded, { a: 1 }, 'The answer must not have the key "a"'],
  [
    'a property that a pattern covers too',
    { properties: { ab: { type: 'number' } }, patternProperties: { '^a': { maximum: 3 }, b$: { minimum: 2 } } },
    { ab: 1 },
    'answer.ab must be at least 2',
  ],
  ['an element of a kind', { contains: { type: 'string' } }, [1, 'a'], undefined],
  ['no element of a kind', { contains: { type: 'string' } }, [1], 'The answer has no element that matches "contains"'],
  ['no element at all', { contains: true }, [], 'The answer has no element that matches "contains"'],
  [
    'too few elements of a kind',
    { contains: { type: 'string' }, minContains: 2 },
    [1, 'a'],
    'The answer must have at least 2 elements that match "contains"',
  ],
  [
    'too many elements of a kind',
    { contains: { type: 'string' }, maxContains: 1 },
    ['a', 'b'],
    'The answer must have at most 1 elements that match "contains"',
  ],
  [
    'a limit for elements of a kind that are missing',
    { contains: { type: 'string' }, maxContains: 1 },
    [1],
    'The answer must have at least 1 elements that match "contains"',
  ],
  [
    'a key that wants another',
    { dependentRequired: { a: ['b'] } },
    { a: 1 },
    'The answer has "a" but does not have "b"',
  ],
  ['a key that wants another, in older words', { dependencies: { a: ['b'] } }, { a: 1, b: 2 }, undefined],
  ['names of keys', { propertyNames: { pattern: '^[a-z]+$' } }, { A: 1 }, 'The answer must not have the key "A"'],
  [
    'a key that no schema knows',
    { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
    { a: 1, b: 2 },
    'The answer must not have the key "b"',
  ],
  [
    'an element that no schema knows',
    { prefixItems: [true], unevaluatedItems: false },
    [1, 2],
    'answer[1] is not allowed',
  ],
  [
    'a named place',
    { $ref: '#x', $defs: { a: { $anchor: 'x', type: 'string' } } },
    1,
    'The answer must be string, not number',
  ],
  [
    'an address',
    { $id: 'https://example.com/a', $ref: 'a#/$defs/b', $defs: { b: { maximum: 1 } } },
    2,
    'The answer must be at most 1',
  ],
  ['a reference that leads nowhere', { $ref: '#/nowhere', type: 'string' }, 1, 'The answer must be string, not number'],
  [
    'an address that is none',
    { $id: 'http://[', properties: { a: { type: 'string' } } },
    { a: 1 },
    'answer.a must be string, not number',
  ],
  [
    'keywords beside a reference',
    { $ref: '#/$defs/a', type: 'string', $defs: { a: {} } },
    1,
    'The answer must be string, not number',
  ],
  [
    'keywords beside a reference, in a draft that ignores them',
    { $schema: 'http://json-schema.org/draft-07/schema#', $ref: '#/$defs/a', type: 'string', $defs: { a: {} } },
    1,
    undefined,
  ],
  [
    'a limit of draft 4',
    { $schema: 'http://json-schema.org/draft-04/schema#', maximum: 1, exclusiveMaximum: true },
    1,
    'The answer must be less than 1',
  ],
  [
    'half a character',
    { required: ['\ud800'], properties: { '\ud800': { type: 'string' } } },
    { '\ud800': 'a' },
    undefined,
  ],
  ['keywords of the wrong kind', JSON.parse(odd) as JsonObject, { a: [1, 1] }, undefined],
  ['a key of the prototype', { properties: {}, required: ['toString'] }, {}, 'The answer has no key "toString"'],
])('%s', async (_, schema, value, problem) => {
  expect(await problemWith(schema, value)).toBe(problem);
});
