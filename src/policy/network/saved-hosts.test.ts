import { expect, test } from 'vitest';
import type { ResolvedPolicy } from '../../protocol/resolved-policy.ts';
import { withSavedHosts } from './saved-hosts.ts';

const open: ResolvedPolicy = { enforcement: 'managed', files: { kind: 'unrestricted' }, network: 'enabled' };
const lists = { allow: ['a.test'], deny: ['b.test'], local: false, methods: 'any' } as const;

test('saved hosts join the lists, each once', () => {
  const saved = [
    { host: 'c.test', action: 'allow' },
    { host: 'a.test', action: 'allow' },
    { host: 'a.test', action: 'deny' },
  ] as const;
  expect(withSavedHosts({ ...open, lists }, saved).lists).toEqual({
    ...lists,
    allow: ['a.test', 'c.test'],
    deny: ['b.test', 'a.test'],
  });
});

test('a denied host makes lists for a network that has none', () => {
  const saved = [
    { host: 'c.test', action: 'deny' },
    { host: 'd.test', action: 'allow' },
  ] as const;
  const lists = { allow: ['*', 'd.test'], deny: ['c.test'], local: true, methods: 'any' };
  expect(withSavedHosts(open, saved)).toEqual({ ...open, lists });
  const disabled: ResolvedPolicy = { ...open, enforcement: 'disabled' };
  expect(withSavedHosts(disabled, saved)).toBe(disabled);
});

test('without lists and denied hosts nothing changes', () => {
  expect(withSavedHosts(open, [{ host: 'c.test', action: 'allow' }])).toBe(open);
  const listed = { ...open, lists };
  expect(withSavedHosts(listed, [])).toBe(listed);
});
