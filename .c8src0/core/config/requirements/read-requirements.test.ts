import { expect, test } from 'vitest';
import type { Json } from '../../../protocol/json.ts';
import { requirementRules } from './read-requirements.ts';

function read(...rules: readonly Json[]) {
  return requirementRules({ name: 'managed', source: '/etc/requirements.toml', values: {} }, rules);
}

test('a rule has tokens or choices, and one is made for each program', () => {
  const pattern = [{ any_of: ['rm', 'rmdir'] }, { token: '-r' }, { any_of: ['a', 'b'] }];
  const source = '/etc/requirements.toml';
  expect(read({ pattern, decision: 'forbidden', justification: 'no' })).toEqual({
    rules: ['rm', 'rmdir'].map((program) => ({
      pattern: [program, '-r', ['a', 'b']],
      decision: 'forbidden',
      justification: 'no',
      source,
    })),
    problems: [],
  });
});

const pattern = [{ token: 'rm' }];

test.each<[Json, string]>([
  [{ pattern }, 'decision must be "prompt" or "forbidden"'],
  [{ pattern, decision: 'allow' }, 'decision must be "prompt" or "forbidden"'],
  [{ pattern, decision: 'prompt', justification: ' ' }, 'justification must be a text'],
  [{ pattern, decision: 'prompt', why: '' }, 'why is unknown'],
  [{ pattern: [], decision: 'prompt' }, 'pattern must be a list that is not empty'],
  [{ decision: 'prompt' }, 'pattern must be a list that is not empty'],
  [{ pattern: ['rm'], decision: 'prompt' }, 'each part of pattern must have token or any_of'],
  [{ pattern: [{ any_of: [] }], decision: 'prompt' }, 'each part of pattern must have token or any_of'],
  [{ pattern: [{ any_of: [1] }], decision: 'prompt' }, 'each part of pattern must have token or any_of'],
  [{ pattern: [...pattern, { token: 1 }], decision: 'prompt' }, 'each part of pattern must have token or any_of'],
  [{ pattern: [{ token: 'a', any_of: ['b'] }], decision: 'prompt' }, 'each part of pattern must have token or any_of'],
  ['rm', 'it is not a table'],
])('%j is an error', (rule, what) => {
  const { rules, problems } = read({ pattern, decision: 'prompt' }, rule);
  expect(rules).toHaveLength(1);
  expect(problems).toMatchObject([
    {
      code: 'config-wrong-value',
      severity: 'error',
      message: `/etc/requirements.toml: rules.prefix_rules has a wrong entry (2): ${what}.`,
    },
  ]);
});
