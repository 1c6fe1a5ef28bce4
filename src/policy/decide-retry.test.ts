import { describe, expect, it } from 'vitest';
import type { PathRule, ResolvedPolicy } from '../protocol/resolved-policy.ts';
import type { Blocked, CallNeeds } from './approval.ts';
import type { DecisionContext } from './call-decision.ts';
import { decideRetry } from './decide-retry.ts';
import { grantedPolicy } from './granted-policy.ts';
import { noRules } from './rules/rule-set.ts';

const root: PathRule = { path: '/', access: 'read', ifMissing: 'skip' };
const policy: ResolvedPolicy = {
  enforcement: 'managed',
  files: {
    kind: 'restricted',
    rules: [root, { path: '/secret', access: 'deny', ifMissing: 'protect' }],
    denyGlobs: [],
    platformDefaults: false,
  },
  network: 'restricted',
  lists: { allow: ['a.example'], deny: [], local: false, methods: 'any' },
};

function context(more: Partial<DecisionContext> = {}): DecisionContext {
  const analysis = {
    commands: [['npm', 'install', 'x']],
    seen: [['timeout', '5', 'npm', 'install', 'x']],
    isReadOnly: false,
  };
  return { approval: 'on-request', policy, rules: noRules, grants: [], canAsk: true, analysis, ...more };
}

const needs: CallNeeds = { effect: 'program', argv: ['/bin/sh', '-c', 'npm install x'], cwd: '/repo' };
const file = { path: '/root/.npm', access: 'write' } as const;
const host = { name: 'registry.npmjs.org', port: 443, protocol: 'https' } as const;
const blocked = (more: Partial<Blocked>): Blocked => ({ paths: [], hosts: [], ...more });

const forbidding = {
  prefixes: [{ pattern: ['npm'], decision: 'forbidden', source: 'x' }],
  hosts: [{ host: host.name, protocol: 'https', decision: 'forbidden', source: 'x' }],
  executables: {},
} as const;

describe('a command that the sandbox stopped', () => {
  it('is offered outside of it, with the file and a rule to save', () => {
    expect(decideRetry(context(), needs, blocked({ paths: [file] }))).toEqual({
      kind: 'ask',
      question: {
        kind: 'retry',
        reason: 'The sandbox stopped it. It would run again in a sandbox that only denies what may not be read.',
        argv: needs.argv,
        cwd: '/repo',
        commands: [['npm', 'install', 'x']],
        seen: [['timeout', '5', 'npm', 'install', 'x']],
        paths: [file],
        prefix: ['npm', 'install', 'x'],
        scopes: ['call', 'session', 'rule'],
      },
      where: 'outside',
      grantKeys: [expect.any(String)],
    });
  });

  it('runs again without a question where that was allowed for the session', () => {
    const first = decideRetry(context(), needs, blocked({ paths: [file] }));
    const grants = first?.kind === 'ask' ? first.grantKeys.map((key) => ({ key })) : [];
    expect(decideRetry(context({ grants }), needs, blocked({ paths: [file] }))).toEqual({
      kind: 'run',
      where: 'outside',
    });
    const other = { ...needs, argv: ['/bin/sh', '-c', 'npm install y'] };
    expect(decideRetry(context({ grants }), other, blocked({ paths: [file] }))?.kind).toBe('ask');
  });

  it('is offered with its host let through, where only the network was in its way', () => {
    const decision = decideRetry(context(), needs, blocked({ hosts: [host] }));
    expect(decision).toMatchObject({
      kind: 'ask',
      question: { kind: 'network', host, scopes: ['call', 'session', 'rule'] },
      where: 'sandbox',
    });
    const granted = grantedPolicy(policy, decision as { where: 'sandbox' });
    expect(granted.lists?.allow).toEqual(['a.example', 'registry.npmjs.org:443']);
  });

  it.each([
    ['https', 8443],
    ['http', 443],
    ['http', 25],
    ['socks5_tcp', 443],
  ] as const)('no rule is offered for %s at port %i: it would allow more than was asked', (protocol, port) => {
    const decision = decideRetry(context(), needs, blocked({ hosts: [{ ...host, protocol, port }] }));
    expect(decision).toMatchObject({ question: { scopes: ['call', 'session'] } });
  });

  it('an address of version 6 is let through at its port', () => {
    const decision = decideRetry(context(), needs, blocked({ hosts: [{ ...host, name: '2606:4700::1' }] }));
    const granted = grantedPolicy(policy, decision as { where: 'sandbox' });
    expect(granted.lists?.allow).toContain('[2606:4700::1]:443');
  });

  it('another port of a host that was allowed is asked for again', () => {
    const first = decideRetry(context(), needs, blocked({ hosts: [host] }));
    const grants = first?.kind === 'ask' ? first.grantKeys.map((key) => ({ key })) : [];
    expect(decideRetry(context({ grants }), needs, blocked({ hosts: [host] }))?.kind).toBe('run');
    expect(decideRetry(context({ grants }), needs, blocked({ hosts: [{ ...host, port: 80 }] }))?.kind).toBe('ask');
  });

  it.each([
    ['nothing was blocked', {}, blocked({})],
    ['the policy is never', { approval: 'never' }, blocked({ paths: [file] })],
    ['no one can be asked', { canAsk: false }, blocked({ paths: [file] })],
    ['what it lacks is denied for good', {}, blocked({ paths: [{ path: '/secret/x', access: 'read' }] })],
    ['a rule forbids it', { rules: forbidding }, blocked({ paths: [file] })],
    ['a rule forbids its host', { rules: forbidding }, blocked({ hosts: [host] })],
    [
      'there is no list that the host could be added to',
      { policy: { ...policy, lists: undefined } },
      blocked({ hosts: [host] }),
    ],
  ] as const)('is not offered again where %s', (_name, more, what) => {
    expect(decideRetry(context(more as Partial<DecisionContext>), needs, what)).toBeUndefined();
  });

  it('a patch is never run again', () => {
    expect(decideRetry(context(), { effect: 'files' }, blocked({ paths: [file] }))).toBeUndefined();
  });
});
