import { expect, test } from 'vitest';
import { usedFeatures } from './features.ts';
import { readRole } from './agents.ts';

const overridesFor = (name: string, value: boolean) => readRole('x', { features: { [name]: value } }, 'd').overrides;

/** A role that could close these would loosen what watches or holds its agents. */
const neverClosed = [
  'default_mode_request_user_input',
  'enable_request_compression',
  'goals',
  'hooks',
  'remote_compaction_v2',
  'responses_websockets',
  'use_legacy_landlock',
];

test.each(usedFeatures.map(({ name }) => name))('a role closes %s only if its agents can do less for it', (name) => {
  const closed = neverClosed.includes(name) ? [] : [{ path: ['features', name], value: false }];
  expect(overridesFor(name, false)).toEqual(closed);
  expect(overridesFor(name, true)).toEqual([]);
});
