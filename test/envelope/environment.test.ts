import { expect, test } from 'vitest';
import { fullEnvelope } from './full-envelope.ts';
import { resolveEnvironment } from '../../src/core/envelope/environment.ts';

const lists = { allow: ['a.test', 'b.test'], deny: ['c.test'], local: false, methods: 'any' } as const;
const networkRules = [{ host: 'x.test', action: 'allow' } as const, { host: 'y.test', action: 'deny' } as const];

function networkOf(network: 'restricted' | 'enabled', given: typeof lists | undefined) {
  const { policy, ...rest } = fullEnvelope();
  const { lists: _lists, ...resolved } = policy.resolved;
  const open = { ...resolved, network, ...(given === undefined ? {} : { lists: given }) };
  const networkProxy = given !== undefined && network === 'enabled' ? 'lists' : 'none';
  const changed = { ...policy, networkRules, networkProxy, resolved: open } as const;
  const of = resolveEnvironment({ ...rest, policy: changed }, { date: '2026-11-16' });
  return [of.networkAccess, of.allowedDomains, of.deniedDomains];
}

test('hosts are those of the lists that hold, which have saved rules in them', () => {
  expect(networkOf('enabled', lists)).toEqual(['limited', ['a.test', 'b.test'], ['c.test']]);
});

test('a host that a rule asks about is denied where the question reaches no one', () => {
  const { policy, ...rest } = fullEnvelope();
  const resolved = { ...policy.resolved, network: 'enabled', lists: { ...lists, ask: ['a.test'] } } as const;
  const deniedFor = (more: Partial<typeof policy>): readonly string[] => {
    const changed = { ...policy, networkProxy: 'lists', resolved, ...more } as const;
    return resolveEnvironment({ ...rest, policy: changed }, { date: '2026-11-16' }).deniedDomains;
  };
  expect(deniedFor({ approval: 'on-request', canAsk: true })).toEqual(['c.test']);
  const { canAsk: _, ...unasked } = policy;
  expect(
    resolveEnvironment({ ...rest, policy: { ...unasked, networkProxy: 'lists', resolved } }, { date: '' }),
  ).toMatchObject({
    deniedDomains: ['c.test', 'a.test'],
  });
  expect(deniedFor({ approval: 'never' })).toEqual(['c.test', 'a.test']);
});

test('without lists no host stands beside a network that is open or closed as a whole', () => {
  expect(networkOf('restricted', undefined)).toEqual(['restricted', [], []]);
  expect(networkOf('restricted', lists)).toEqual(['restricted', [], []]);
  expect(networkOf('enabled', undefined)).toEqual(['enabled', [], []]);
});

test('full access and a read-only sandbox do not have the same list of writable roots', () => {
  const { policy, ...rest } = fullEnvelope();
  const rootsOf = (files: (typeof policy)['resolved']['files'], enforcement: 'disabled' | 'managed') => {
    const resolved = { enforcement, files, network: 'enabled' } as const;
    const of = resolveEnvironment(
      { ...rest, policy: { ...policy, resolved } as typeof policy },
      { date: '2026-11-16' },
    );
    return [of.sandboxMode, of.writableRoots];
  };
  const readOnly = {
    kind: 'restricted',
    rules: [{ path: '/', access: 'read', ifMissing: 'skip' }],
    denyGlobs: [],
    platformDefaults: false,
  } as const;
  expect(rootsOf({ kind: 'unrestricted' }, 'disabled')).toEqual(['danger-full-access', ['/']]);
  expect(rootsOf(readOnly, 'managed')).toEqual(['read-only', []]);
});

test('what is open again inside of a denied path is named, readable or writable', () => {
  const { policy, workspace, ...rest } = fullEnvelope();
  const rule = (path: string, access: 'read' | 'write' | 'deny') => ({ path, access, ifMissing: 'skip' }) as const;
  const rules = [
    rule('/', 'read'),
    rule('/repo', 'write'),
    rule('/repo/a', 'deny'),
    rule('/repo/a/b', 'write'),
    rule('/repo/a/c', 'read'),
    rule('/repo/a/c/d', 'deny'),
    rule('/repo/docs', 'read'),
  ];
  const files = { kind: 'restricted', rules, denyGlobs: [], platformDefaults: false } as const;
  const resolved = { enforcement: 'managed', files, network: 'restricted' } as const;
  const of = resolveEnvironment({ ...rest, workspace, policy: { ...policy, resolved } }, { date: '2026-11-16' });
  expect(of).toMatchObject({
    writableRoots: ['/repo', '/repo/a/b'],
    deniedPaths: ['/repo/a', '/repo/a/c/d'],
    reopenedPaths: ['/repo/a/b', '/repo/a/c'],
  });
});
