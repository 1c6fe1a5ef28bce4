import { expect, it } from 'vitest';
import { hostGrantKey } from '../../../core/policy/grants/grants.ts';
import type { RuleToSave } from '../../../ports/ask-user.ts';
import type { TurnId } from '../../../protocol/ids.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { Question } from '../../../protocol/question.ts';
import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import type { SavedRules } from '../thread-parts.ts';
import { saveAllowedRule } from './ask-about-call.ts';

const question: Question = {
  id: 'q',
  callId: 'c',
  turnId: 't' as TurnId,
  tool: 'exec_command',
  item: {},
  kind: 'command',
  prefix: ['npm', 'test'],
  scopes: ['call', 'rule'],
};
const host = { name: 'a.org', port: 443, protocol: 'https' } as const;

async function saved(asked: Question, scope: 'call' | 'session' | 'rule', problem?: Outcome) {
  const [rules, told]: [RuleToSave[], ThreadEvent[]] = [[], []];
  const savedRules: SavedRules = { prefixes: [], hosts: [], tools: [] };
  const save = (rule: RuleToSave): Promise<Outcome | undefined> => {
    rules.push(rule);
    return Promise.resolve(problem);
  };
  await saveAllowedRule(
    { parts: { ruleBook: { save } }, log: { tell: (...events) => void told.push(...events) }, savedRules },
    asked,
    {
      kind: 'allowed',
      scope,
    },
  );
  const counts = [...savedRules.prefixes.map(({ pattern }) => pattern), ...savedRules.hosts.map(({ key }) => key)];
  return { rules, told, counts };
}

it('saves what the question offers, and only if the answer wants a rule', async () => {
  expect(await saved(question, 'rule')).toEqual({
    rules: [{ kind: 'prefix', prefix: ['npm', 'test'] }],
    told: [],
    counts: [['npm', 'test']],
  });
  expect(await saved({ ...question, kind: 'network', host }, 'rule')).toEqual({
    rules: [{ kind: 'host', host }],
    told: [],
    counts: [hostGrantKey(host)],
  });
  expect(await saved(question, 'session')).toEqual({ rules: [], told: [], counts: [] });
  const { prefix: _none, ...bare } = question;
  expect(await saved(bare, 'rule')).toEqual({ rules: [], told: [], counts: [] });
});

it('warns where it cannot, and goes on', async () => {
  const outcome = { code: 'rule-not-saved', message: 'No space.', next: 'Free some.' };
  expect(await saved(question, 'rule', outcome)).toMatchObject({ told: [{ kind: 'warning', outcome }], counts: [] });
  await saveAllowedRule(
    { parts: {}, log: { tell: () => {} }, savedRules: { prefixes: [], hosts: [], tools: [] } },
    question,
    {
      kind: 'allowed',
      scope: 'rule',
    },
  );
});
