import { expect, it } from 'vitest';
import type { ResolvedPolicy } from '../../../protocol/permissions.ts';
import type { CallNeeds, DecisionContext } from './call-decision.ts';
import { decideCommand, decideRetry } from './decide-command.ts';
import { commandGrantKey } from '../grants/grants.ts';
import { noRules, type RuleSet } from '../rules/rule-set.ts';

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

const outside = 'It would run outside the sandbox.';

it('or another cause', () => {
  const none = context('EDITOR', { ...noRules, savesNone: true });
  expect(asked(none)).toEqual([
    `${outside} No rule can be saved: the administrator turned rules off for this model.`,
    ['call', 'session'],
  ]);
  expect(asked(context('EDITOR'), { typed: true })).toEqual([
    `${outside} The model will be able to type into it while it runs. A yes counts for this call alone.`,
    ['call'],
  ]);
});

const withCommands = (
  commands: readonly (readonly string[])[] | undefined,
  ground: Partial<NonNullable<DecisionContext['ground']>> = {},
  more: Partial<NonNullable<DecisionContext['analysis']>> = {},
): DecisionContext => {
  const of = context(undefined);
  const settled = new Set((commands ?? []).flatMap(([program = '']) => program));
  return {
    ...of,
    analysis: { commands, seen: commands ?? [['npm']], isReadOnly: false, ...more },
    ground: { ...of.ground!, settled, ...ground },
  };
};

it.each([
  [
    [['npm', 'i']],
    { settled: new Set<string>(), writablePathFolder: '/repo/.venv/bin' },
    'commands can write "/repo/.venv/bin", a folder of the PATH',
  ],
  [[['./x']], { settled: new Set<string>() }, 'commands can write or replace `./x`'],
  [[['export', 'A=b']], {}, '`export` changes what later commands mean'],
  [[['make'], ['npm', 'i']], {}, 'it has several commands, and no one rule covers them'],
  [[['sudo', '-n', 'make'], ['make']], {}, '`sudo` starts another command, and no one rule covers both'],
  [[['make'], ['sudo', 'npm'], ['npm']], {}, 'it has several commands, and no one rule covers them'],
  [[['python3']], {}, 'a rule for `python3` would allow too much'],
  [undefined, {}, 'Capstan cannot read all of the script'],
] as const)('%j with %j: %s', (commands, ground, cause) => {
  const decision = decideCommand(withCommands(commands, ground), needs);
  expect(decision.kind === 'ask' && decision.question.reason).toContain(`No rule can be saved: ${cause}.`);
  expect(decision).toHaveProperty('notOffered.rule.kind');
});

it('a rule is not saved where commands can replace what starts the program', () => {
  const of = withCommands([['/usr/bin/true']], { writablePathFolder: '/repo/bin' });
  const decision = decideCommand({ ...of, analysis: { ...of.analysis!, starters: ['timeout'] } }, needs);
  const why = 'No rule can be saved: commands can write "/repo/bin", a folder of the PATH.';
  expect(decision.kind === 'ask' && decision.question.reason).toContain(why);
});

it('names one cause once', () => {
  expect(asked(withCommands([['source', 'x']], {}, { evaluating: 'source' }))).toEqual([
    `${outside} The shell may run what stands in the words of \`source\`, or in the file that they name. A yes counts for this call alone.`,
    ['call'],
  ]);
});

it.each([
  [{ kind: 'assignment', name: 'A' }, 'it sets the variable A, which may change what runs'],
  [{ kind: 'redirection', written: '> /etc/x' }, 'rules do not cover the redirection `> /etc/x`'],
  [{ kind: 'open-words' }, 'some of its words are known only when it runs'],
] as const)('a script that is not known, %j: %s', (whyUnknown, cause) => {
  const [reason] = asked(withCommands(undefined, {}, { whyUnknown })) as [string];
  expect(reason).toBe(`${outside} No rule can be saved: ${cause}.`);
});

const open = { whyUnknown: { kind: 'open-words' }, hasOpenWords: true } as const;
const openWhy = 'A yes counts for this call alone: some of its words are known only when it runs.';

it('words that are known only when it runs may be others the next time: no answer for the session', () => {
  const of = withCommands(undefined, {}, open);
  expect(asked(of)).toEqual([`${outside} ${openWhy}`, ['call']]);
  // An earlier answer for the session does not cover it either.
  const key = commandGrantKey({ command: JSON.stringify(needs.argv), cwd: '/repo', where: 'outside' });
  expect(decideCommand({ ...of, grants: [{ key }] }, needs)).toMatchObject({ kind: 'ask', grantKeys: [] });
  expect(decideRetry(of, needs, [{ path: '/root/.npm', access: 'write' }])).toMatchObject({
    question: { reason: `It would run again outside the sandbox. ${openWhy}`, scopes: ['call'] },
    grantKeys: [],
  });
  // Inside the sandbox they may do no more than any other command.
  const { escalation: _, ...inside } = needs;
  expect(decideCommand({ ...of, approval: 'untrusted' }, inside)).toMatchObject({
    question: { scopes: ['call', 'session'] },
  });
});

it('says it of a command that the sandbox stopped, too', () => {
  const blocked = [{ path: '/root/.npm', access: 'write' as const }];
  expect(decideRetry(context('EDITOR'), needs, blocked)).toMatchObject({
    question: { reason: `It would run again outside the sandbox. ${why}`, scopes: ['call', 'session'] },
  });
});
