import { expect, test } from 'vitest';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { featureSwitches, type FeatureName, isGateOpen, openGateNames, usedFeatures } from './features.ts';

test('a feature with settings of its own is as its switch says, and one without a switch says nothing', () => {
  const given = { memories: true, hooks: false, token_budget: { enabled: false }, tool_registry: { a: 1 } };
  expect(featureSwitches(given)).toEqual({ memories: true, hooks: false, token_budget: false });
});

test('the newer name wins over the older one, whichever comes first', () => {
  expect(featureSwitches({ collab: true })).toEqual({ multi_agent: true });
  expect(featureSwitches({ collab: true, multi_agent: false })).toEqual({ multi_agent: false });
  expect(featureSwitches({ multi_agent: false, collab: true })).toEqual({ multi_agent: false });
});

/** Reads of gates in the sources: in the open gates, through `isGateOpen`, or past it. */
function looks(pattern: RegExp): readonly (string | undefined)[] {
  const source = join(import.meta.dirname, '../..');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!\.test)\.ts$/.test(name),
  );
  return files.flatMap((name) =>
    [...readFileSync(join(source, name), 'utf8').matchAll(pattern)].map(([, gate]) => gate),
  );
}

test('every gate that code looks at is listed for the user', () => {
  const read = [...looks(/features\.includes\('(\w+)'/g), ...looks(/isGateOpen\('(\w+)'/g)];
  const listed: readonly string[] = usedFeatures.map(({ name }) => name);
  expect(read.filter((gate) => !listed.includes(gate ?? ''))).toEqual([]);
  expect(listed.filter((name) => !read.includes(name))).toEqual([]);
});

test('what holds for a gate that is not set stands in the list, and nowhere else', () => {
  // Agents may be forbidden by the gate, and by their own key.
  expect(looks(/(?:features|gates|config)(?:\?\.)?\['(\w+)'\]/g)).toEqual(['multi_agent']);
});

test('a gate is as it is set, else as the list says', () => {
  expect(['hooks', 'goals'].map((name) => isGateOpen(name as FeatureName, undefined))).toEqual([true, false]);
  expect(['hooks', 'goals'].map((name) => isGateOpen(name as FeatureName, { hooks: false, goals: true }))).toEqual([
    false,
    true,
  ]);
  expect(openGateNames({ hooks: false, goals: true, one: true, two: false }).toSorted()).toEqual([
    'enable_request_compression',
    'goals',
    'one',
    'plugins',
    'remote_compaction_v2',
    'responses_websockets',
  ]);
});
