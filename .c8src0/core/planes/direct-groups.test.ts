import fc from 'fast-check';
import { expect, test } from 'vitest';
import { groupsWithinBudget } from './fit-roles.ts';

test('the light groups come first, so that a heavy one keeps no other out', () => {
  const groups = [
    { name: 'heavy', tokens: 900 },
    { name: 'light', tokens: 100 },
    { name: 'middle', tokens: 400 },
  ];
  expect([...groupsWithinBudget(groups, 1000)]).toEqual(['light', 'middle']);
  expect([...groupsWithinBudget(groups, 99)]).toEqual([]);
});

test('the groups that are chosen fit the budget, whatever order they come in', () => {
  const group = fc.record({ name: fc.string(), tokens: fc.nat(5000) });
  fc.assert(
    fc.property(fc.uniqueArray(group, { selector: ({ name }) => name }), fc.nat(20_000), (groups, budget) => {
      const chosen = groupsWithinBudget(groups, budget);
      const weight = groups.reduce((sum, { name, tokens }) => sum + (chosen.has(name) ? tokens : 0), 0);
      expect(weight).toBeLessThanOrEqual(budget);
      expect(groupsWithinBudget(groups.toReversed(), budget)).toEqual(chosen);
    }),
  );
});
