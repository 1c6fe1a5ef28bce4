import { expect, test } from 'vitest';
import type { JsonObject } from '../../../../protocol/json.ts';
import { argumentsProblem } from './check-arguments.ts';

const schema = {
  type: 'object',
  properties: {
    thread: { type: 'string' },
    effort: { type: 'string', enum: ['low', 'high'] },
    limit: { type: 'integer', minimum: 1 },
    items: { type: 'array', items: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } },
    policy: {
      type: 'object',
      properties: { mode: { type: 'string' } },
      required: ['mode'],
      additionalProperties: false,
    },
  },
  required: ['thread'],
} as const;

test.each([
  [{ thread: 't' }, undefined],
  [{}, '"thread" is missing.'],
  [{ thraed: 't' }, '"thraed" is unknown; did you mean "thread"? "thread" is missing.'],
  [{ thread: null }, '"thread" must be a string, not null.'],
  [{ thread: 't', toString: 1 }, '"toString" is unknown.'],
  [{ thread: 't', effort: 'huge' }, '"effort" must be one of "low", "high".'],
  [{ thread: 't', limit: 0 }, '"limit" must be at least 1.'],
  [{ thread: 't', items: [{}] }, '"items.0" has no key "text".'],
  [{ thread: 't', policy: { kind: 'x' } }, '"policy.mode" is missing. "policy.kind" is unknown.'],
  [{ thread: 't', policy: [] }, '"policy" must be an object, not an array.'],
])('%j: %s', async (args, problem) => {
  expect(await argumentsProblem(schema, args as JsonObject)).toBe(problem);
});

test('keys without end do not make a message without end', async () => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`${index}`.padEnd(1000, 'x'), 1]));
  expect((await argumentsProblem(schema, { thread: 't', ...many }))?.length).toBeLessThan(1000);
});
