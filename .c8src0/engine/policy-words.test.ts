import { expect, test } from 'vitest';
import { policyWords } from './wording.ts';

const lists = { allow: ['a.org', 'b.org'], deny: [], local: false, methods: 'any' } as const;
const open = { mode: 'workspace-write', network: 'enabled' } as const;

test.each([
  [{ mode: 'read-only', network: 'restricted' } as const, undefined, 'read-only'],
  [{ mode: 'workspace-write', network: 'restricted' } as const, ':workspace', 'workspace-write'],
  [open, undefined, 'workspace-write, network enabled'],
  [{ mode: 'read-only', network: 'restricted' } as const, 'shut', 'profile shut'],
  [open, 'dev', 'profile dev, network enabled'],
  [{ ...open, lists }, 'dev', 'profile dev, 2 hosts'],
  [{ ...open, lists: { ...lists, allow: ['a.org'] } }, 'dev', 'profile dev, 1 host'],
  [
    { ...open, lists: { ...lists, allow: ['*'], deny: ['a.org'] } },
    undefined,
    'workspace-write, public hosts except 1',
  ],
  [{ ...open, lists: { ...lists, allow: ['*'], local: true } }, undefined, 'workspace-write, all hosts'],
  [
    { ...open, lists: { ...lists, allow: ['*'], deny: ['a.org'], ask: ['b.org', 'c.org'], local: true } },
    undefined,
    'workspace-write, all hosts except 1 (2 asked about)',
  ],
  [{ ...open, lists: { ...lists, ask: ['a.org'] } }, 'dev', 'profile dev, 2 hosts (1 asked about)'],
])('%j named %s', (policy, name, words) => {
  expect(policyWords(policy, { profileName: name, asksAboutRules: true })).toBe(words);
});

test('a host that a rule asks about is refused in a run that asks nothing', () => {
  const policy = { ...open, lists: { ...lists, ask: ['a.org'] } };
  expect(policyWords(policy, { profileName: 'dev', asksAboutRules: false })).toBe('profile dev, 2 hosts (1 refused)');
});
