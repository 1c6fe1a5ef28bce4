import { expect, test } from 'vitest';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { featureGates, usedGates } from './feature-gates.ts';

test('a feature with settings of its own is as its switch says, and one without a switch says nothing', () => {
  const given = { memories: true, hooks: false, token_budget: { enabled: false }, tool_registry: { a: 1 } };
  expect(featureGates(given)).toEqual({ memories: true, hooks: false, token_budget: false });
});

test('the newer name wins over the older one, whichever comes first', () => {
  expect(featureGates({ collab: true })).toEqual({ multi_agent: true });
  expect(featureGates({ collab: true, multi_agent: false })).toEqual({ multi_agent: false });
  expect(featureGates({ multi_agent: false, collab: true })).toEqual({ multi_agent: false });
});

test('every gate that code looks at is listed for the user', () => {
  const source = join(import.meta.dirname, '..');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!\.test)\.ts$/.test(name),
  );
  const looks = /(?:features|gates)(?:\?\.)?(?:\[|\.includes\()'(\w+)'/g;
  const read = files.flatMap((name) =>
    [...readFileSync(join(source, name), 'utf8').matchAll(looks)].map(([, gate]) => gate),
  );
  expect(read.length).toBeGreaterThan(5);
  const listed = usedGates.map(({ name }) => name);
  expect(read.filter((gate) => !listed.includes(gate ?? ''))).toEqual([]);
});
