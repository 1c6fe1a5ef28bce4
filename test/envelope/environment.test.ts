import { expect, test } from 'vitest';
import { fullEnvelope } from './full-envelope.ts';
import { environmentOf } from '../../src/envelope/environment.ts';

test('hosts are those that the proxy goes by: saved rules stand in its lists, and count nowhere else', () => {
  const { policy, ...rest } = fullEnvelope();
  const lists = { allow: ['a.test', 'b.test'], deny: ['c.test', 'd.test'], local: false, methods: 'any' } as const;
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
  expect(hosts('none')).toEqual([[], []]);
});
