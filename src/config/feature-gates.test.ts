import { expect, test } from 'vitest';
import { featureGates } from './feature-gates.ts';

test('a feature with settings of its own is as its switch says, and one without a switch says nothing', () => {
  const given = { memories: true, hooks: false, token_budget: { enabled: false }, tool_registry: { a: 1 } };
  expect(featureGates(given)).toEqual({ memories: true, hooks: false, token_budget: false });
});

test('the newer name wins over the older one, whichever comes first', () => {
  expect(featureGates({ collab: true })).toEqual({ multi_agent: true });
  expect(featureGates({ collab: true, multi_agent: false })).toEqual({ multi_agent: false });
  expect(featureGates({ multi_agent: false, collab: true })).toEqual({ multi_agent: false });
});
