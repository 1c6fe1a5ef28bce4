import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contextBudget, contextShares, occasionalBudget, uncutContextTokens } from './window.ts';

const kinds = Object.keys(contextShares) as (keyof typeof contextShares)[];
const page = readFileSync(join(import.meta.dirname, '../../../docs/configure.md'), 'utf8');
const percents = Object.values(contextShares).map(({ percent }) => percent);

test('all kinds of context together leave a quarter of the space for the work', () => {
  expect(percents.reduce((sum, percent) => sum + percent, 0)).toBeLessThanOrEqual(75);
});

test('in every window from 8,000 tokens on, what nothing cuts and all context that can be cut leave space for the work', () => {
  fc.assert(
    fc.property(fc.integer({ min: 7600, max: 1_000_000 }), (effective) => {
      const budgets = kinds.map((kind) => contextBudget(kind, effective));
      const left = effective - uncutContextTokens - budgets.reduce((sum, tokens) => sum + tokens, 0);
      expect(left).toBeGreaterThanOrEqual((effective - uncutContextTokens) / 4);
    }),
  );
});

test('with the diff of a code review they still fit every window from 8,000 tokens on', () => {
  fc.assert(
    fc.property(fc.integer({ min: 7600, max: 1_000_000 }), (effective) => {
      const budgets = [
        ...kinds.map((kind) => contextBudget(kind, effective)),
        occasionalBudget('reviewedDiff', effective),
      ];
      expect(uncutContextTokens + budgets.reduce((sum, tokens) => sum + tokens, 0)).toBeLessThan(effective);
    }),
  );
});

test('a diff has a fifth of the space, an answer of an agent a twentieth of the window, and a reviewer most of it', () => {
  const sizes = [7600, 100_000, 1_000_000];
  expect(sizes.map((effective) => occasionalBudget('reviewedDiff', effective))).toEqual([600, 19_080, 40_000]);
  expect(sizes.map((effective) => occasionalBudget('agentReport', effective))).toEqual([380, 5000, 50_000]);
  expect(sizes.map((effective) => occasionalBudget('reviewedQuestion', effective))).toEqual([5320, 70_000, 700_000]);
});

test('a larger window never gives a kind of context less, and none more than its figure', () => {
  const size = fc.nat(1_100_000);
  fc.assert(
    fc.property(fc.constantFrom(...kinds), size, size, (kind, one, other) => {
      const [small, large] = [Math.min(one, other), Math.max(one, other)].map((each) => contextBudget(kind, each));
      expect(small).toBeLessThanOrEqual(large!);
      expect(large).toBeLessThanOrEqual(contextShares[kind].tokens);
    }),
  );
});

test('optional tools get a tenth of the space, and no more than 20,000 tokens of a large window', () => {
  expect([7600, 30_400, 190_000, 1_000_000].map((effective) => contextBudget('optionalTools', effective))).toEqual([
    300, 2580, 18_540, 20_000,
  ]);
});

test('docs/configure.md has the same table', () => {
  const rows = [...page.matchAll(/^\| [^|]+ \| (\d+) % \| ([\d,]+) \|$/gm)];
  const documented = rows.map(([, percent, tokens]) => ({
    tokens: Number(tokens?.replaceAll(',', '')),
    percent: Number(percent),
  }));
  expect(documented).toEqual(Object.values(contextShares));
});
