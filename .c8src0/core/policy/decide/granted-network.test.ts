import { describe, expect, it } from 'vitest';
import type { ResolvedPolicy } from '../../../protocol/permissions.ts';
import type { DecisionContext } from './call-decision.ts';
import { decideCall } from './decide-call.ts';
import { grantedPolicy, missingPermissions } from '../grants/granted-policy.ts';
import { noRules } from '../rules/rule-set.ts';

const lists = { allow: ['a.test'], deny: ['127.0.0.2', 'b.test'], local: false, methods: 'any' } as const;
const files = { kind: 'restricted', rules: [], denyGlobs: [], platformDefaults: false } as const;
const listed: ResolvedPolicy = { enforcement: 'managed', files, network: 'enabled', lists };
const context: DecisionContext = { approval: 'on-request', policy: listed, rules: noRules, grants: [], canAsk: true };
const network = { network: true } as const;

it('a command that asks to write what does not exist is refused, unless that is open already', () => {
  const missing = [{ path: '/x/y', above: '/x' }];
  const needs = { effect: 'program', argv: ['make'], cwd: '/', missing } as const;
  const ask = (path: string, policy = listed) =>
    decideCall({ ...context, policy }, { ...needs, escalation: { permissions: { write: [path] } } });
  expect(ask('/x/y')).toMatchObject({ kind: 'refuse', next: 'Ask for "/x", the nearest folder above it.' });
  expect(ask('/x').kind).toBe('ask');
  const alone = {
    ...needs,
    missing: [{ path: '/gone/y', above: '/' }],
    escalation: { permissions: { write: ['/gone/y'] } },
  };
  expect(decideCall(context, alone)).toEqual({
    kind: 'refuse',
    why: '"/gone/y" does not exist, and a sandbox can open only what exists.',
    next: 'Nothing above it exists either. Ask to create "/gone" with a command outside the sandbox, or tell the user that it is missing. Do not ask for "/".',
  });
  const rule = { path: '/x', access: 'write', ifMissing: 'skip' } as const;
  expect(ask('/x/y', { ...listed, files: { ...files, rules: [rule] } }).kind).toBe('run');
});

describe('a grant of the network', () => {
  it.each(['enabled', 'restricted'] as const)('keeps what lists deny, of a network that is %s', (state) => {
    const open = grantedPolicy({ ...listed, network: state }, { where: 'sandbox', extra: network });
    expect(open).toMatchObject({ network: 'enabled', lists: { ...lists, allow: ['a.test', '*'] } });
    // It is not asked for twice.
    expect(missingPermissions(open, network)).toEqual({});
  });

  it('is a question that says what it opens', () => {
    const opens = 'All hosts except 127.0.0.2, b.test could be reached, but not this machine and private networks.';
    const request = decideCall(context, { request: { permissions: network } });
    expect(request).toMatchObject({ question: { reason: expect.stringContaining(opens) } });
    const argv = ['curl', 'c.test'];
    const command = decideCall(context, { effect: 'program', argv, cwd: '/', escalation: { permissions: network } });
    expect(command).toMatchObject({ question: { reason: expect.stringContaining(opens) } });
    const { lists: _none, ...closed } = { ...listed, network: 'restricted' as const };
    const whole = decideCall({ ...context, policy: closed }, { request: { permissions: network } });
    expect(whole).toMatchObject({ question: { reason: expect.stringContaining('including this machine') } });
  });
});
