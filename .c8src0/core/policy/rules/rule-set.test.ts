import { expect, test } from 'vitest';
import type { ResolvedPolicy } from '../../../protocol/permissions.ts';
import { withNetworkRules } from './rule-set.ts';

const open: ResolvedPolicy = { enforcement: 'managed', files: { kind: 'unrestricted' }, network: 'enabled' };
const lists = { allow: ['a.test'], deny: ['b.test'], local: false, methods: 'any' } as const;

test('saved hosts join the lists, each once', () => {
  const saved = [
    { host: 'c.test', action: 'allow' },
    { host: 'a.test', action: 'allow' },
    { host: 'a.test', action: 'deny' },
  ] as const;
  expect(withNetworkRules({ ...open, lists }, saved).lists).toEqual({
    ...lists,
    allow: ['a.test', 'c.test'],
    deny: ['b.test', 'a.test'],
    ruled: [{ host: 'a.test' }],
  });
});

test('a denied host makes lists for a network that has none', () => {
  const saved = [
    { host: 'c.test', action: 'deny', why: 'Not there' },
    { host: 'd.test', action: 'allow' },
  ] as const;
  const lists = {
    allow: ['*', 'd.test'],
    deny: ['c.test'],
    ruled: [{ host: 'c.test', why: 'Not there' }],
    local: true,
    methods: 'any',
  };
  expect(withNetworkRules(open, saved)).toEqual({ ...open, lists });
  const disabled: ResolvedPolicy = { ...open, enforcement: 'disabled' };
  expect(withNetworkRules(disabled, saved)).toBe(disabled);
});

test('a host that a rule asks about is one of the lists, and makes them', () => {
  const rules = [{ host: 'a.test', action: 'ask' }] as const;
  expect(withNetworkRules({ ...open, lists }, rules).lists).toEqual({ ...lists, ask: ['a.test'] });
  const made = { allow: ['*'], deny: [], ask: ['a.test'], local: true, methods: 'any' };
  expect(withNetworkRules(open, rules).lists).toEqual(made);
});

test('without lists and denied hosts nothing changes', () => {
  expect(withNetworkRules(open, [{ host: 'c.test', action: 'allow' }])).toBe(open);
  const listed = { ...open, lists };
  expect(withNetworkRules(listed, [])).toBe(listed);
});
