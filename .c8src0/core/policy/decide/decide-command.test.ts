import { describe, expect, it } from 'vitest';
import type { PathRule, ResolvedPolicy } from '../../../protocol/permissions.ts';
import type { CallNeeds, DecisionContext } from './call-decision.ts';
import { decideRetry } from './decide-command.ts';
import { noRules } from '../rules/rule-set.ts';

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

const readable: ResolvedPolicy = {
  ...policy,
  files: { kind: 'restricted', rules: [root], denyGlobs: [], platformDefaults: false },
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

const forbidding = {
  prefixes: [{ pattern: ['npm'], decision: 'forbidden', source: 'x' }],
  hosts: [],
  executables: {},
} as const;

describe('a command that the sandbox stopped', () => {
  it('is offered outside of it, with the file and a rule to save', () => {
    expect(decideRetry(context({ policy: readable }), needs, [file])).toEqual({
      kind: 'ask',
      question: {
        kind: 'retry',
        reason: 'It would run again outside the sandbox.',
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

  it('is offered a sandbox that denies reads where one must stay, and a rule that means the same', () => {
    const asked = decideRetry(context(), needs, [file]);
    const reason = 'It would run again in a sandbox that only hides denied paths.';
    const question = { reason, confined: true, prefix: ['npm', 'install', 'x'], scopes: ['call', 'session', 'rule'] };
    expect(asked).toMatchObject({ kind: 'ask', question, where: 'outside' });
  });

  it('runs again without a question where that was allowed for the session', () => {
    const first = decideRetry(context(), needs, [file]);
    const grants = first?.kind === 'ask' ? first.grantKeys.map((key) => ({ key })) : [];
    expect(decideRetry(context({ grants }), needs, [file])).toEqual({
      kind: 'run',
      where: 'outside',
    });
    const other = { ...needs, argv: ['/bin/sh', '-c', 'npm install y'] };
    expect(decideRetry(context({ grants }), other, [file])?.kind).toBe('ask');
  });

  it.each([
    ['nothing was blocked', {}, []],
    ['the policy is never', { approval: 'never' }, [file]],
    ['no one can be asked', { canAsk: false }, [file]],
    ['what it lacks is denied for good', {}, [{ path: '/secret/x', access: 'read' }]],
    ['a rule forbids it', { rules: forbidding }, [file]],
  ] as const)('is not offered again where %s', (_name, more, what) => {
    expect(decideRetry(context(more as Partial<DecisionContext>), needs, what)).toBeUndefined();
  });

  it('a patch is never run again', () => {
    expect(decideRetry(context(), { effect: 'files' }, [file])).toBeUndefined();
  });
});
