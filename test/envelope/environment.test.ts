import { expect, test } from 'vitest';
import { fullEnvelope } from './full-envelope.ts';
import { environmentOf } from '../../src/envelope/environment.ts';

test('hosts come from the lists of the policy and from saved rules, each once', () => {
  const { policy, ...rest } = fullEnvelope();
  const lists = { allow: ['a.test', 'b.test'], deny: ['c.test'], local: false, methods: 'any' } as const;
  const networkRules = [{ host: 'b.test', action: 'allow' } as const, { host: 'd.test', action: 'deny' } as const];
  const envelope = { ...rest, policy: { ...policy, networkRules, resolved: { ...policy.resolved, lists } } };
  const hosts = (networkProxy: 'none' | 'lists') => {
    const of = environmentOf({ ...envelope, policy: { ...envelope.policy, networkProxy } }, '2026-11-16');
    return [of.allowedDomains, of.deniedDomains];
  };
  expect(hosts('lists')).toEqual([
    ['a.test', 'b.test'],
    ['c.test', 'd.test'],
  ]);
  expect(hosts('none')).toEqual([['b.test'], ['d.test']]);
});
