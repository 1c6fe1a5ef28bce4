import { expect, test } from 'vitest';
import type { JsonObject } from '../../../protocol/json.ts';
import { turnContextSummary } from './turn-words.ts';

const entries = [
  { path: { type: 'special', value: { kind: 'root' } }, access: 'read' },
  { path: { type: 'path', path: '/srv/keys' }, access: 'deny' },
];
const profile = (more: JsonObject, held: readonly JsonObject[] = entries): JsonObject => ({
  type: 'managed',
  file_system: { type: 'restricted', entries: held },
  network: 'restricted',
  ...more,
});
const lists = { allow: ['a.test'], deny: [], local: false, methods: 'any' };

test.each([
  ['no more than its mode', profile({}, entries.slice(0, 1)), 'workspace-write'],
  ['denied paths', profile({}), 'workspace-write with denied paths'],
  ['an open network', profile({ network: 'enabled' }, entries.slice(0, 1)), 'workspace-write with network access'],
  ['both', profile({ capstan_network: { lists } }), 'workspace-write with denied paths and listed hosts'],
])('a profile with %s is not called by its mode alone', (_name, chosen, expected) => {
  const context = { sandbox_policy: { type: 'workspace-write' }, capstan: { profile: chosen } };
  expect(turnContextSummary(context).sandbox).toBe(expected);
});

test('an open network of an older file is said, too', () => {
  const word = (network_access: boolean) =>
    turnContextSummary({ sandbox_policy: { mode: 'workspace-write', network_access } }).sandbox;
  expect([word(true), word(false)]).toEqual(['workspace-write with network access', 'workspace-write']);
  expect(turnContextSummary({ sandbox_policy: { type: 'danger-full-access' } }).sandbox).toBe('danger-full-access');
});
