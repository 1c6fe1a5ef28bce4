import { expect, it } from 'vitest';
import type { ResolvedPolicy } from '../protocol/resolved-policy.ts';
import type { CallNeeds } from './approval.ts';
import type { DecisionContext } from './call-decision.ts';
import { decideCommand } from './decide-command.ts';
import { decideRetry } from './decide-retry.ts';
import { noRules, type RuleSet } from './rules/rule-set.ts';

const policy: ResolvedPolicy = {
  enforcement: 'managed',
  files: {
    kind: 'restricted',
    rules: [{ path: '/', access: 'read', ifMissing: 'skip' }],
    denyGlobs: [],
    platformDefaults: false,
  },
  network: 'restricted',
};
const needs: CallNeeds = {
  effect: 'program',
  argv: ['/bin/sh', '-c', 'npm install x'],
  cwd: '/repo',
  escalation: { reason: 'May I?' },
};

function context(openVariable: string | undefined, rules: RuleSet = noRules): DecisionContext {
  const commands = [['npm', 'install', 'x']];
  const settled = new Set(openVariable === undefined ? ['npm'] : []);
  const variable = openVariable === undefined ? {} : { openVariable };
  return {
    approval: 'on-request',
    policy,
    rules,
    grants: [],
    canAsk: true,
    analysis: { commands, seen: commands, isReadOnly: false },
    ground: { folder: '/repo', settled, repository: 'protected', ...variable },
  };
}

const asked = (of: DecisionContext, more: Partial<CallNeeds> = {}) => {
  const decision = decideCommand(of, { ...needs, ...more });
  return decision.kind === 'ask' ? [decision.question.reason, decision.question.scopes] : decision;
};
const why = 'No rule can be saved: the variable EDITOR has programs load code from where commands can write.';

it('a question without a rule names the variable that keeps it from having one', () => {
  expect(asked(context(undefined))).toEqual(['It would run outside the sandbox.', ['call', 'session', 'rule']]);
  expect(asked(context('EDITOR'))).toEqual([`It would run outside the sandbox. ${why}`, ['call', 'session']]);
});

it('says nothing of it where no rule would be offered anyway', () => {
  const saysNothing = expect.not.stringContaining('No rule');
  expect(asked(context('EDITOR', { ...noRules, savesNone: true }))).toEqual([saysNothing, ['call', 'session']]);
  expect(asked(context('EDITOR'), { typed: true })).toEqual([saysNothing, ['call']]);
});

it('says it of a command that the sandbox stopped, too', () => {
  const blocked = { paths: [{ path: '/root/.npm', access: 'write' as const }] };
  expect(decideRetry(context('EDITOR'), needs, blocked)).toMatchObject({
    question: { reason: `It would run again outside the sandbox. ${why}`, scopes: ['call', 'session'] },
  });
});
