import { describe, expect, it } from 'vitest';
import type { ResolvedPolicy } from '../../../protocol/permissions.ts';
import { accessAt } from '../paths/access.ts';
import type { DecisionContext } from '../decide/call-decision.ts';
import { decideCall } from '../decide/decide-call.ts';
import { decideConnection } from './decide-connection.ts';
import { grantedPolicy, standingPermissions } from '../grants/granted-policy.ts';
import { hostGrantKey, permissionGrantKeys } from '../grants/grants.ts';
import { noRules } from '../rules/rule-set.ts';

const lists = { allow: ['a.test', 'c.test'], deny: ['b.test'], ask: ['c.test'], local: false, methods: 'any' } as const;
const files = { kind: 'restricted', rules: [], denyGlobs: [], platformDefaults: false } as const;
const policy: ResolvedPolicy = { enforcement: 'managed', files, network: 'enabled', lists };
const context: DecisionContext = { approval: 'on-request', policy, rules: noRules, grants: [], canAsk: true };
const needs = {
  effect: 'program',
  argv: ['sh', '-c', 'npm i'],
  cwd: '/repo',
  escalation: { reason: 'Why not?' },
} as const;
const host = { name: 'x.test', port: 443, protocol: 'https' } as const;
const granular = (sandbox: boolean, rules: boolean) => ({
  granular: {
    sandbox_approval: sandbox,
    rules,
    skill_approval: false,
    request_permissions: false,
    mcp_elicitations: false,
  },
});

const kindOf = (name: string, more: Partial<DecisionContext> = {}) =>
  decideConnection({ ...context, ...more }, needs, { ...host, name }).kind;

describe('a host that a running command waits for', () => {
  it('is a question about that host, with what an answer may keep', () => {
    expect(decideConnection(context, needs, host)).toEqual({
      kind: 'ask',
      question: {
        kind: 'network',
        reason: 'The command runs and waits to connect to x.test:443. No list allows this host at this port yet.',
        justification: 'Why not?',
        argv: needs.argv,
        cwd: '/repo',
        host,
        scopes: ['call', 'session', 'rule'],
      },
      where: 'sandbox',
      grantKeys: [hostGrantKey(host)],
    });
  });

  it.each([
    ['https', 8443],
    ['http', 443],
    ['http', 25],
    ['socks5_tcp', 443],
  ] as const)('no rule is offered for %s at port %i: it would allow more than was asked', (protocol, port) => {
    const decision = decideConnection(context, needs, { ...host, protocol, port });
    expect(decision).toMatchObject({ question: { scopes: ['call', 'session'] } });
  });

  it('is asked about in the words of the rule, if it has any', () => {
    const rule = { host: 'C.test', protocol: 'https', decision: 'prompt', source: 'r:1' } as const;
    const reason = (justification?: string) =>
      decideConnection(
        { ...context, rules: { ...noRules, hosts: [{ ...rule, ...(justification && { justification }) }] } },
        needs,
        { ...host, name: 'c.test' },
      );
    const waits = 'The command runs and waits to connect to c.test:443.';
    expect(reason('The build server is slow')).toMatchObject({
      question: {
        reason: `${waits} A rule asks before this host is reached: The build server is slow. No rule can be saved: that rule asks each time.`,
      },
    });
    expect(reason()).toMatchObject({
      question: {
        reason: `${waits} A rule asks before this host is reached. No rule can be saved: that rule asks each time.`,
      },
    });
  });

  it('no rule is offered against a rule that asks', () => {
    const decision = decideConnection(context, needs, { ...host, name: 'c.test' });
    expect(decision).toMatchObject({ question: { scopes: ['call', 'session'] } });
  });

  it.each([
    ['a listed host', 'a.test', {}, 'run'],
    ['a denied host', 'b.test', {}, 'refuse'],
    ['a private address', '10.0.0.1', {}, 'refuse'],
    ['this machine', 'localhost', {}, 'refuse'],
    [
      'a private address where the profile allows those',
      '10.0.0.1',
      { policy: { ...policy, lists: { ...lists, local: true } } },
      'ask',
    ],
    ['an unlisted host under untrusted', 'x.test', { approval: 'untrusted' }, 'ask'],
    ['an unlisted host under never', 'x.test', { approval: 'never' }, 'refuse'],
    ['an unlisted host without anyone to ask', 'x.test', { canAsk: false }, 'refuse'],
    ['an unlisted host under rules alone', 'x.test', { approval: granular(false, true) }, 'refuse'],
    ['an unlisted host under the sandbox alone', 'x.test', { approval: granular(true, false) }, 'ask'],
    ['a host that a rule asks about under rules alone', 'c.test', { approval: granular(false, true) }, 'ask'],
    ['a host that a rule asks about under the sandbox alone', 'c.test', { approval: granular(true, false) }, 'refuse'],
    ['a host without lists', 'x.test', { policy: { ...policy, lists: undefined } }, 'refuse'],
    ['a host without a network', 'x.test', { policy: { ...policy, network: 'restricted' } }, 'refuse'],
  ] as const)('%s: %s', (_, name, more, expected) => {
    expect(kindOf(name, more as Partial<DecisionContext>)).toBe(expected);
  });
});

describe('an answer for the session', () => {
  const keys = [host, { ...host, name: 'c.test' }, { ...host, name: '2606:4700::1' }, { ...host, name: 'b.test' }];
  const grants = [...keys.map(hostGrantKey), ...permissionGrantKeys({ write: ['/w'] })].map((key) => ({ key }));

  it('opens the host at its port, as far as the lists leave it to an answer', () => {
    for (const name of ['x.test', 'c.test', '2606:4700::1']) expect(kindOf(name, { grants })).toBe('run');
    expect(kindOf('b.test', { grants })).toBe('refuse');
    expect(decideConnection({ ...context, grants }, needs, { ...host, port: 80 }).kind).toBe('ask');
    expect(standingPermissions(policy, grants)).toEqual({
      write: ['/w'],
      hosts: ['x.test:443', 'c.test:443', '[2606:4700::1]:443'],
    });
  });

  it('opens nothing that the policy closes by now, and is not repeated where the policy opens it', () => {
    const narrower = { ...policy, lists: { ...lists, deny: ['x.test'], ask: [] } };
    expect(standingPermissions(narrower, grants).hosts).toEqual(['[2606:4700::1]:443', 'b.test:443']);
    expect(standingPermissions({ ...policy, network: 'restricted' }, grants)).toEqual({ write: ['/w'] });
  });

  it('is there from the start of a later command, beside its other permissions', () => {
    const decided = decideCall({ ...context, grants }, { effect: 'program', argv: ['npm', 'i'], cwd: '/repo' });
    expect(decided.kind).toBe('run');
    const granted = grantedPolicy(policy, decided as { where: 'sandbox' });
    expect(granted.lists?.granted).toEqual(['x.test:443', 'c.test:443', '[2606:4700::1]:443']);
    expect(accessAt(granted, '/w')).toBe('write');
  });
});
