import { expect, test } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import { resolveConfig } from './config.ts';

function policyOf(...policies: readonly JsonObject[]) {
  const layers = policies.map((policy, rank) => ({
    name: rank === 0 ? ('user' as const) : ('flags' as const),
    source: `/layer/${rank}`,
    values: { shell_environment_policy: policy },
  }));
  const { config, problems } = resolveConfig(layers);
  return { policy: config.shellEnvironmentPolicy, problems };
}

test('filters become the lists of the policy', () => {
  expect(policyOf({ filters: { 'AWS_*': 'exclude', PATH: 'include', HOME: 'include' } })).toMatchObject({
    policy: { exclude: ['AWS_*'], includeOnly: ['PATH', 'HOME'] },
    problems: [],
  });
});

test.each<[string, JsonObject, JsonObject, { exclude: string[]; includeOnly: string[] }]>([
  [
    'filters over lists',
    { exclude: ['A'], include_only: ['B'] },
    { filters: { C: 'exclude' } },
    { exclude: ['C'], includeOnly: [] },
  ],
  ['a list over filters', { filters: { C: 'include' } }, { exclude: ['A'] }, { exclude: ['A'], includeOnly: [] }],
  ['an empty table over lists', { exclude: ['A'] }, { filters: {} }, { exclude: [], includeOnly: [] }],
  ['an empty list over filters', { filters: { C: 'include' } }, { include_only: [] }, { exclude: [], includeOnly: [] }],
  [
    'filters over filters, with other capitals',
    { filters: { aws_É: 'include', B: 'exclude' } },
    { filters: { AWS_é: 'exclude' } },
    { exclude: ['B', 'AWS_é'], includeOnly: [] },
  ],
  ['neither over filters', { filters: { C: 'include' } }, { inherit: 'core' }, { exclude: [], includeOnly: ['C'] }],
])('%s', (_, lower, upper, lists) => {
  expect(policyOf(lower, upper)).toMatchObject({ policy: lists, problems: [] });
});

test.each<[string, JsonObject, string]>([
  ['filters beside a list', { filters: { A: 'exclude' }, exclude: ['B'] }, 'cannot be combined with exclude'],
  ['a pattern twice', { filters: { 'é*': 'exclude', 'É*': 'include' } }, 'is set twice (case does not matter)'],
  ['an action that is none', { filters: { A: 'drop' } }, 'a table of values that are "include" or "exclude"'],
])('%s is an error', (_, policy, message) => {
  expect(policyOf(policy).problems).toMatchObject([
    { severity: 'error', code: 'config-wrong-value', message: expect.stringContaining(message) },
  ]);
});
