import { describe, expect, it, test } from 'vitest';
import { defined } from '../../../base/objects.ts';
import type { ApprovalPolicy, PathRule, ResolvedPolicy } from '../../../protocol/permissions.ts';
import { accessAt, needsSandbox } from '../paths/access.ts';
import type { CallDecision, CallNeeds, DecisionContext } from './call-decision.ts';
import { isUntamperedProgram, type TamperState } from '../environment/tamper-state.ts';
import { commandGrantKey } from '../grants/grants.ts';
import { mayEvaluate } from '../commands/shell-builtins.ts';
import { decideCall, dependsOnAnalysis } from './decide-call.ts';
import { describeGrants } from './reviewer-verdict.ts';
import { grantedPolicy } from '../grants/granted-policy.ts';
import { type PrefixRule, type RuleSet } from '../rules/rule-set.ts';

const write = (path: string): PathRule => ({ path, access: 'write', ifMissing: 'skip' });
const read = (path: string): PathRule => ({ path, access: 'read', ifMissing: 'skip' });
const deny = (path: string): PathRule => ({ path, access: 'deny', ifMissing: 'protect' });

function restricted(...rules: readonly PathRule[]): ResolvedPolicy {
  return {
    enforcement: 'managed',
    files: { kind: 'restricted', rules: [read('/'), ...rules], denyGlobs: [], platformDefaults: false },
    network: 'restricted',
  };
}

const policies = {
  'read-only': restricted(),
  'workspace-write': restricted(write('/repo'), read('/repo/.git'), read('/repo/.codex')),
  'full-access': { enforcement: 'disabled', files: { kind: 'unrestricted' }, network: 'enabled' },
  external: { enforcement: 'external', files: { kind: 'unrestricted' }, network: 'restricted' },
} as const satisfies Readonly<Record<string, ResolvedPolicy>>;

type Flags = Partial<Extract<ApprovalPolicy, object>['granular']>;

function granular(flags: Flags): ApprovalPolicy {
  const off = { skill_approval: false, request_permissions: false, mcp_elicitations: false };
  return { granular: { sandbox_approval: false, rules: false, ...off, ...flags } };
}

const approvals = {
  untrusted: 'untrusted',
  'on-request': 'on-request',
  never: 'never',
  granular: granular({ sandbox_approval: true, rules: true, request_permissions: true }),
  'granular, all off': granular({}),
} as const satisfies Readonly<Record<string, ApprovalPolicy>>;

function rules(...given: readonly (readonly [PrefixRule['decision'], string, string?])[]): RuleSet {
  const prefixes = given.map(([decision, words, justification], i) => ({
    pattern: words.split(' '),
    decision,
    source: `x.rules:${i + 1}`,
    ...(justification === undefined ? {} : { justification }),
  }));
  return { prefixes, hosts: [], executables: {} };
}

function context(more: Partial<DecisionContext> = {}): DecisionContext {
  const policy = policies['workspace-write'];
  return { approval: 'on-request', policy, rules: rules(), grants: [], canAsk: true, ...more };
}

/** A script of simple commands, and what is known about it. */
function script(text: string, more: Partial<DecisionContext> = {}): Partial<DecisionContext> {
  const commands = text.split(/ (?:&&|\|) /).map((command) => command.split(' '));
  const forced = commands.find(([program, flags]) => program === 'rm' && flags?.includes('f'));
  const danger = forced && { kind: 'forced-removal' as const, words: forced };
  const isReadOnly = commands.every(([program = '']) => ['ls', 'cat', 'wc'].includes(program));
  const [evaluating] = commands.find(mayEvaluate) ?? [];
  const analysis = { commands, seen: commands, isReadOnly, ...defined({ danger, evaluating }) };
  return { analysis, ground: groundOf(commands, 'protected'), ...more };
}

/** The programs lie where they are spelled, and commands may write in the workspace. */
function groundOf(
  commands: readonly (readonly string[])[],
  repository: TamperState['repository'],
  path = '/usr/bin',
): TamperState {
  const look = (at: string) => ({ kind: /bin$|^\/\w+$/.test(at) ? 'folder' : 'file' }) as const;
  const isWritable = (at: string) => accessAt(policies['workspace-write'], at) === 'write';
  const names = commands.map(([program = '']) => program);
  const settled = names.filter((name) => isUntamperedProgram(name, { look, isWritable, cwd: '/repo', path }));
  return { folder: '/repo', settled: new Set(settled), repository };
}

const command = (text: string, more: Partial<CallNeeds> = {}): CallNeeds => {
  return { effect: 'program', argv: ['/bin/bash', '-c', text], cwd: '/repo', ...more };
};
const patch = (...paths: readonly string[]): CallNeeds => {
  return { effect: 'files', paths: paths.map((path) => ({ path, access: 'write' }) as const) };
};
const escalated = { escalation: { reason: 'May I?' } } as const;

/** A decision in two words. */
function short(decision: CallDecision): string {
  return decision.kind === 'refuse' ? 'refuse' : `${decision.kind} ${decision.where}`;
}

describe('every approval policy with every sandbox', () => {
  const kinds: Readonly<Record<string, readonly [Partial<DecisionContext>, CallNeeds]>> = {
    reads: [script('ls'), command('ls')],
    changes: [script('make'), command('make')],
    destroys: [script('rm -rf x'), command('rm -rf x')],
    escalates: [script('ls'), command('ls', escalated)],
    'more inside': [script('make'), command('make', { escalation: { permissions: { write: ['/srv'] } } })],
    'patch inside': [{}, patch('/repo/a')],
    'patch outside': [{}, patch('/srv/a')],
    'asks for more': [{}, { request: { permissions: { network: true } } }],
    'looks at a picture': [{}, { paths: [{ path: '/p.png', access: 'read' }] }],
  };
  const words: Readonly<Record<string, string>> = {
    'run sandbox': 'run',
    'ask sandbox': 'ask',
    'ask outside': 'ask out',
  };
  const rows = Object.entries(approvals).flatMap(([approvalName, approval]) =>
    Object.entries(kinds).map(([kind, [more, needs]]) => {
      const cells = Object.values(policies).map((policy) => {
        const decision = short(decideCall(context({ ...more, approval, policy }), needs));
        return (words[decision] ?? decision).padEnd(8);
      });
      return `${approvalName.padEnd(18)}${kind.padEnd(20)}${cells.join('')}`.trimEnd();
    }),
  );

  /** Read-only, workspace-write, full access, and a sandbox around us. */
  const table = `
untrusted         reads               run     run     run     run
untrusted         changes             ask     ask     ask     ask
untrusted         destroys            ask     ask     ask     ask
untrusted         escalates           ask out ask out run     run
untrusted         more inside         ask     ask     ask     ask
untrusted         patch inside        ask     ask     ask     ask
untrusted         patch outside       ask     ask     ask     ask
untrusted         asks for more       ask     ask     run     run
untrusted         looks at a picture  run     run     run     run
on-request        reads               run     run     run     run
on-request        changes             run     run     run     run
on-request        destroys            ask     ask     ask     ask
on-request        escalates           ask out ask out run     run
on-request        more inside         ask     ask     run     run
on-request        patch inside        ask     run     run     run
on-request        patch outside       ask     ask     run     run
on-request        asks for more       ask     ask     run     run
on-request        looks at a picture  run     run     run     run
never             reads               run     run     run     run
never             changes             run     run     run     run
never             destroys            refuse  refuse  refuse  refuse
never             escalates           refuse  refuse  run     run
never             more inside         refuse  refuse  run     run
never             patch inside        run     run     run     run
never             patch outside       run     run     run     run
never             asks for more       refuse  refuse  run     run
never             looks at a picture  run     run     run     run
granular          reads               run     run     run     run
granular          changes             run     run     run     run
granular          destroys            ask     ask     ask     ask
granular          escalates           ask out ask out run     run
granular          more inside         ask     ask     run     run
granular          patch inside        ask     run     run     run
granular          patch outside       ask     ask     run     run
granular          asks for more       ask     ask     run     run
granular          looks at a picture  run     run     run     run
granular, all off reads               run     run     run     run
granular, all off changes             run     run     run     run
granular, all off destroys            refuse  refuse  refuse  refuse
granular, all off escalates           refuse  refuse  run     run
granular, all off more inside         refuse  refuse  run     run
granular, all off patch inside        run     run     run     run
granular, all off patch outside       run     run     run     run
granular, all off asks for more       refuse  refuse  run     run
granular, all off looks at a picture  run     run     run     run
`;

  it('decides each of them in one way', () => expect(rows).toEqual(table.trim().split('\n')));

  it('without someone to ask, nothing is asked', () => {
    for (const approval of Object.values(approvals)) {
      for (const policy of Object.values(policies)) {
        for (const [more, needs] of Object.values(kinds)) {
          expect(decideCall(context({ ...more, approval, policy, canAsk: false }), needs).kind).not.toBe('ask');
        }
      }
    }
  });

  it('whatever is decided, what is denied stays denied', () => {
    const policy = restricted(write('/repo'), deny('/repo/secret'));
    for (const approval of Object.values(approvals)) {
      for (const [more, needs] of Object.values(kinds)) {
        const decision = decideCall(context({ ...more, approval, policy }), needs);
        if (decision.kind === 'refuse') continue;
        expect(accessAt(grantedPolicy(policy, decision), '/repo/secret/key')).toBe('deny');
      }
    }
  });
});

describe('a command', () => {
  it('without a rule runs inside the sandbox', () => {
    const policy = policies['read-only'];
    expect(decideCall(context({ policy, ...script('make') }), command('make'))).toEqual({
      kind: 'run',
      where: 'sandbox',
    });
  });

  it('that wants out is asked about, even ls, with the words of the model and a rule to save', () => {
    expect(decideCall(context(script('ls')), command('ls', escalated))).toEqual({
      kind: 'ask',
      question: {
        kind: 'command',
        reason: 'It would run outside the sandbox.',
        justification: 'May I?',
        prefix: ['ls'],
        argv: ['/bin/bash', '-c', 'ls'],
        commands: [['ls']],
        seen: [['ls']],
        cwd: '/repo',
        scopes: ['call', 'session', 'rule'],
      },
      where: 'outside',
      grantKeys: [expect.any(String)],
    });
  });

  it('that wants out under never is refused before anything is looked at', () => {
    expect(decideCall(context({ approval: 'never' }), command('ls', escalated))).toEqual({
      kind: 'refuse',
      why: 'the approval policy is never, and the user cannot be asked.',
      next: 'Run it within the sandbox, or tell the user what is needed.',
    });
  });

  it('that destroys is asked about each time, and under never refused by the name of its class', () => {
    const policy = policies['full-access'];
    const asked = decideCall(context({ policy, ...script('rm -rf x') }), command('rm -rf x'));
    expect(asked).toMatchObject({
      kind: 'ask',
      question: {
        reason: '`rm -rf x` removes files by force. It would run without a sandbox. A yes counts for this call alone.',
        scopes: ['call'],
      },
      grantKeys: [],
    });
    expect(decideCall(context({ policy, ...script('rm -rf x'), approval: 'never' }), command('rm -rf x'))).toEqual({
      kind: 'refuse',
      why: '`rm -rf x` removes files by force; the approval policy is never, and the user cannot be asked.',
      next: 'Remove what you mean by name and without -f, or tell the user what to remove.',
    });
    const analysis = {
      commands: undefined,
      seen: [],
      isReadOnly: false,
      danger: { kind: 'destructive', words: ['dd'] },
    } as const;
    expect(decideCall(context({ analysis, approval: 'never' }), command('dd'))).toMatchObject({
      why: expect.stringMatching(/^`dd` destroys what may not come back; /) as string,
    });
  });

  it('that is asked about because the policy asks about everything says so, and so does a patch', () => {
    const why = 'The approval policy is untrusted: ';
    const asked = decideCall(context({ approval: 'untrusted', ...script('make') }), command('make'));
    expect(asked).toMatchObject({
      question: {
        reason: `${why}only commands that are known to change nothing run without a question. It would run inside the sandbox.`,
      },
    });
    expect(decideCall(context({ approval: 'untrusted' }), patch('/repo/a'))).toMatchObject({
      question: { reason: `${why}Capstan asks about each patch. Commands may write all of its files.` },
    });
  });

  it('that destroys and that a rule holds back is refused under never for the rule', () => {
    const held = rules(['prompt', 'rm', 'Removing is for people.']);
    const given = context({ ...script('rm -rf x'), rules: held, approval: 'never' });
    expect(decideCall(given, command('rm -rf x'))).toMatchObject({
      kind: 'refuse',
      why: 'a rule asks before commands that begin with `rm`: Removing is for people; the approval policy is never, and the user cannot be asked.',
    });
  });

  it('that destroys runs where rules of the user allow all of it', () => {
    const given = context({ ...script('rm -rf x'), rules: rules(['allow', 'rm -rf x']) });
    expect(decideCall(given, command('rm -rf x'))).toEqual({ kind: 'run', where: 'outside' });
  });

  test.each([
    ['only the first is allowed', rules(['allow', 'cat']), 'run sandbox'],
    ['all are allowed', rules(['allow', 'cat'], ['allow', 'curl'], ['allow', 'bash']), 'run outside'],
    ['one is held back', rules(['allow', 'cat'], ['prompt', 'curl'], ['allow', 'bash']), 'ask sandbox'],
    ['one is forbidden', rules(['allow', 'cat'], ['prompt', 'curl'], ['forbidden', 'bash c']), 'refuse'],
    ['a wider rule is stricter', rules(['allow', 'cat a'], ['prompt', 'cat']), 'ask sandbox'],
  ])('of three parts, where %s', (_name, given, expected) => {
    const text = 'cat a && curl b && bash c';
    expect(short(decideCall(context({ ...script(text), rules: given }), command(text)))).toBe(expected);
  });

  it('runs by a rule as the question about it promised, also where something is denied to read', () => {
    const policy = restricted(write('/repo'), deny('/repo/secret'));
    const given = context({ ...script('ls'), rules: rules(['allow', 'ls']), policy });
    const byRule = decideCall(given, command('ls', escalated));
    expect(byRule).toEqual({ kind: 'run', where: 'outside' });
    expect(decideCall(given, command('ls'))).toEqual(byRule);
    const asked = decideCall(context({ ...script('make'), policy }), command('make', escalated));
    expect(short(asked)).toBe('ask outside');
    expect(asked).toMatchObject({
      question: {
        reason: 'It would run in a sandbox that only hides denied paths.',
        prefix: ['make'],
        confined: true,
      },
    });
    const granted = grantedPolicy(policy, asked as { where: 'outside' });
    expect(needsSandbox(granted)).toBe(true);
    expect(['/repo/secret/key', '/srv/x'].map((path) => accessAt(granted, path))).toEqual(['deny', 'write']);
  });

  it('leaves it by the name of a program only where commands cannot replace the program', () => {
    const given = { rules: rules(['allow', 'tool']), canAsk: false };
    const at = (path: string) => decideCall(context({ ...given, ...script(path) }), command(path));
    expect(short(at('/usr/bin/tool'))).toBe('run outside');
    expect(['/repo/tool', './tool', 'bin/../tool'].map((path) => short(at(path)))).toEqual(
      Array(3).fill('run sandbox'),
    );
  });

  it('leaves it only where commands cannot replace what starts the program either', () => {
    const given = { rules: rules(['allow', '/usr/bin/true']), canAsk: false };
    const decided = (starter: string, path: string) => {
      const analysis = { commands: [['/usr/bin/true']], seen: [], starters: [starter], isReadOnly: false };
      const ground = groundOf([['/usr/bin/true'], [starter]], 'protected', path);
      return short(decideCall(context({ ...given, analysis, ground }), command('true')));
    };
    expect(decided('timeout', '/usr/bin')).toBe('run outside');
    expect(decided('timeout', '/repo/bin:/usr/bin')).toBe('run sandbox');
    expect(decided('/bin/bash', '/repo/bin:/usr/bin')).toBe('run outside');
  });

  it('leaves it by no rule where the search path has a folder that commands may write, and by none that is not looked at', () => {
    const given = { rules: rules(['allow', 'make test']), canAsk: false };
    const decided = (ground: Partial<DecisionContext>) =>
      short(decideCall(context({ ...given, ...script('make test'), ...ground }), command('make test')));
    const withPath = (path: string) => decided({ ground: groundOf([['make']], 'protected', path) });
    expect(withPath('/usr/bin:/bin')).toBe('run outside');
    const open = ['/repo/bin:/usr/bin', '/usr/bin:/repo/bin', '/usr/bin:', './bin:/usr/bin', ''].map(withPath);
    expect(open).toEqual(Array(5).fill('run sandbox'));
    const { ground: _ground, ...rest } = { ...context({ ...given, ...script('make test') }) };
    expect(short(decideCall(rest, command('make test')))).toBe('run sandbox');
  });

  test.each([
    ['git status', 'protected', 'run outside'],
    ['git --no-pager status', 'protected', 'run sandbox'],
    ['env A=b git status', 'protected', 'run sandbox'],
    ['git status', 'own', 'run sandbox'],
    ['git status', 'other', 'run sandbox'],
    ['git -C n status', 'protected', 'run sandbox'],
    ['git --no-pager -C n status', 'protected', 'run sandbox'],
    ['git --git-dir=n status', 'protected', 'run sandbox'],
    ['git -c core.fsmonitor=x status', 'protected', 'run sandbox'],
    ['cd n && git status', 'protected', 'run sandbox'],
    ['git fetch origin', 'protected', 'run outside'],
    ['git fetch --upload-pack=x', 'protected', 'run sandbox'],
    ['git diff --out=/x', 'protected', 'run sandbox'],
    ['git grep -nOx y', 'protected', 'run sandbox'],
    ['git push /tmp/other', 'protected', 'run sandbox'],
    ['git push ../other', 'protected', 'run sandbox'],
    ['git fetch ext::x', 'protected', 'run sandbox'],
    ['git log --oneline -5 main..next', 'protected', 'run outside'],
    ['git add /repo/src', 'protected', 'run outside'],
  ] as const)('%j where the repository is %s', (text, repository, expected) => {
    const given = script(text, { rules: rules(['allow', 'git'], ['allow', 'cd']) });
    const ground = groundOf([['git'], ['cd']], repository);
    expect(short(decideCall(context({ ...given, ground }), command(text)))).toBe(expected);
  });

  test.each([
    ['git checkout main', 'run sandbox'],
    ['git pull', 'run sandbox'],
    ['git add a && git stash', 'run sandbox'],
    ['git add a && git commit -m b', 'run sandbox'],
    ['git commit -m b && git push', 'run outside'],
  ])('%s while a command of the thread still runs', (text, expected) => {
    const given = script(text, { rules: rules(['allow', 'git']) });
    const ground = groundOf([['git']], 'protected');
    expect(short(decideCall(context({ ...given, ground }), command(text)))).toBe('run outside');
    const beside = { ...ground, hasCompany: true as const };
    expect(short(decideCall(context({ ...given, ground: beside }), command(text)))).toBe(expected);
  });

  it('of git that could run what commands have written says so, and is asked about each time', () => {
    const ground = { ...groundOf([['git']], 'own'), openSetting: '/repo/vendor/.git' };
    const grants = [{ key: commandGrantKey({ command: 'git status', cwd: '/repo', where: 'outside' }) }];
    const given = { ...script('git status'), canonical: 'git status', grants };
    const needs = command('git status', escalated);
    expect(short(decideCall(context(given), needs))).toBe('run outside');
    expect(decideCall(context({ ...given, ground }), needs)).toMatchObject({
      kind: 'ask',
      question: { reason: expect.stringContaining('programs from "/repo/vendor/.git"') as string, scopes: ['call'] },
      grantKeys: [],
    });
    // An unknown repository is no better.
    const other = decideCall(context({ ...given, ground: groundOf([['git']], 'other') }), needs);
    expect(other).toMatchObject({ question: { reason: expect.stringContaining('programs there') as string } });
    const moving = ['cd n && git status', 'git -C n status'].map((text) => {
      const key = commandGrantKey({ command: text, cwd: '/repo', where: 'outside' });
      return short(
        decideCall(context({ ...script(text), canonical: text, grants: [{ key }] }), command(text, escalated)),
      );
    });
    expect(moving).toEqual(['ask outside', 'ask outside']);
  });

  it('of git is known to read only in a repository of the workspace', () => {
    const analysis = { commands: [['git', 'status']], seen: [], isReadOnly: true };
    const decided = (ground: Partial<DecisionContext>) =>
      short(decideCall(context({ approval: 'untrusted', analysis, ...ground }), command('git status')));
    const inside = (['protected', 'own', 'other'] as const).map((kind) => decided({ ground: groundOf([], kind) }));
    expect(inside).toEqual(['run sandbox', 'run sandbox', 'ask sandbox']);
    // Without a sandbox it is not known to, if it could run what commands wrote.
    const open = { ground: { ...groundOf([], 'own'), openSetting: '/repo/.gitconfig' } };
    expect(decided(open)).toBe('run sandbox');
    expect(decided({ ...open, policy: policies['full-access'] })).toBe('ask sandbox');
    expect(decided({ ground: groundOf([], 'own'), policy: policies['full-access'] })).toBe('run sandbox');
    expect(decided({})).toBe('ask sandbox');
  });

  it('that a rule would not let out is not offered as one', () => {
    expect(decideCall(context(script('./build')), command('./build', escalated))).not.toHaveProperty('question.prefix');
  });

  it('leaves it where only places of the engine are denied', () => {
    const policy = restricted(write('/repo'), { ...deny('/home/.codex/auth.json'), own: true });
    const given = context({ ...script('ls'), rules: rules(['allow', 'ls']), policy });
    expect(decideCall(given, command('ls'))).toEqual({ kind: 'run', where: 'outside' });
  });

  it('is offered as a rule by its first part that needs the question', () => {
    const given = context({ ...script('apple | orange'), rules: rules(['allow', 'apple']), approval: 'untrusted' });
    expect(decideCall(given, command('apple | orange'))).toMatchObject({
      kind: 'ask',
      question: { prefix: ['orange'] },
    });
  });

  it('that cannot be read is judged and offered as a whole', () => {
    const analysis = { commands: undefined, seen: [], isReadOnly: false };
    const text = 'cat <<EOF\nx\nEOF';
    const given = context({ analysis, rules: rules(['allow', 'cat']) });
    expect(short(decideCall(given, command(text)))).toBe('run sandbox');
    // A rule for a script would be a rule for every script of that shell.
    expect(decideCall(given, command(text, escalated))).not.toHaveProperty('question.prefix');
  });

  it('found in what cannot be read is held back by rules, and not allowed by them', () => {
    const analysis = { commands: undefined, seen: [['git', 'push'], ['ls']], isReadOnly: false };
    const decided = (...given: readonly (readonly [PrefixRule['decision'], string, string?])[]) =>
      decideCall(context({ analysis, rules: rules(...given) }), command('for x in $y; do git push; done'));
    expect(short(decided(['allow', 'git'], ['allow', 'ls']))).toBe('run sandbox');
    expect(decided(['prompt', 'git push', 'Ask first'])).toMatchObject({
      kind: 'ask',
      question: {
        reason:
          'A rule asks before commands that begin with `git push`: Ask first. It would run inside the sandbox. No rule can be saved: that rule asks each time.',
      },
    });
    expect(decided(['forbidden', 'git'])).toMatchObject({ kind: 'refuse' });
  });

  it('without a word in it is judged as it stands', () => {
    const analysis = { commands: [], seen: [], isReadOnly: false };
    const given = { analysis, rules: rules(['prompt', '/bin/bash']) };
    expect(short(decideCall(context(given), command(' ')))).toBe('ask sandbox');
  });

  test.each([
    [
      ['npm', 'install'],
      ['npm', 'install'],
    ],
    [
      ['npm', 'test'],
      ['npm', 'install', 'x'],
    ],
    [[], ['npm', 'install', 'x']],
    [
      ['npm', 'run'],
      ['npm', 'install', 'x'],
    ],
  ])('with the proposal %j offers %j', (prefix, expected) => {
    const needs = command('npm install x', { escalation: { prefix } });
    expect(decideCall(context(script('npm install x')), needs)).toMatchObject({ question: { prefix: expected } });
  });

  it.each([
    ['git commit -am words', ['git', 'commit']],
    ['git commit --allow-empty --message=x', ['git', 'commit']],
    ['git commit --amend --no-edit', ['git', 'commit', '--amend', '--no-edit']],
  ])('%s: the offered rule does without the message', (text, prefix) => {
    expect(decideCall(context(script(text)), command(text, escalated))).toMatchObject({ question: { prefix } });
  });

  it('of which no one rule covers all parts is offered none: it would be asked about again', () => {
    const needs = command('make && npm i', { escalation: { prefix: ['npm'] } });
    const decided = decideCall(context(script('make && npm i')), needs);
    expect(decided).toMatchObject({ kind: 'ask', question: { scopes: ['call', 'session'] } });
    expect(decided).not.toHaveProperty('question.prefix');
    const same = command('npm i && npm i x', escalated);
    expect(decideCall(context(script('npm i && npm i x')), same)).toMatchObject({ question: { prefix: ['npm', 'i'] } });
  });

  it('offers no rule that would allow anything', () => {
    const given = decideCall(context(script('python3')), command('python3', escalated));
    expect(given).toMatchObject({ kind: 'ask', question: { scopes: ['call', 'session'] } });
    expect(given).not.toHaveProperty('question.prefix');
    const needs = command('python -c 1', { escalation: { prefix: ['python', '-c', '1'] } });
    expect(decideCall(context(script('python -c 1')), needs)).not.toHaveProperty('question.prefix');
  });

  it('held back by a rule and wanting out goes by the flag for rules', () => {
    const given = { ...script('make'), rules: rules(['prompt', 'make']) };
    const off = granular({ sandbox_approval: true, rules: false });
    expect(decideCall(context({ ...given, approval: off }), command('make', escalated))).toMatchObject({
      kind: 'refuse',
      why: 'a rule asks before commands that begin with `make`; the approval policy turns off questions about commands that a rule asks about (rules).',
    });
    const on = granular({ sandbox_approval: false, rules: true });
    expect(decideCall(context({ ...given, approval: on }), command('make'))).toMatchObject({ kind: 'ask' });
    expect(decideCall(context({ ...given, approval: on }), command('make', escalated))).toMatchObject({
      kind: 'refuse',
      why: 'the approval policy turns off questions about leaving the sandbox (sandbox_approval).',
    });
  });

  it('forbidden by a rule is refused with the reason of the longest one', () => {
    const given = rules(['forbidden', 'git', 'No git.'], ['forbidden', 'git push', 'Ask Ann to push']);
    expect(decideCall(context({ ...script('git push'), rules: given }), command('git push'))).toMatchObject({
      kind: 'refuse',
      why: 'a rule forbids commands that begin with `git push`: Ask Ann to push.',
    });
    expect(
      decideCall(context({ ...script('git push'), rules: rules(['forbidden', 'git']) }), command('x')),
    ).toMatchObject({
      why: 'a rule forbids commands that begin with `git`.',
    });
  });
});

describe('a yes for the session', () => {
  const ask = (more: Partial<DecisionContext>, needs: CallNeeds) => {
    const decision = decideCall(context(more), needs);
    if (decision.kind !== 'ask') throw new Error(`not asked: ${decision.kind}`);
    return decision.grantKeys.map((key) => ({ key }));
  };

  it('covers the same command however it is spelled, and no other', () => {
    const canonical = JSON.stringify(['make', 'all']);
    const grants = ask({ ...script('make all'), canonical }, command('make all', escalated));
    const given = { ...script('make all'), canonical, grants };
    const spelled = { ...command('make   "all"', escalated), argv: ['/usr/bin/zsh', '-c', 'make   "all"'] };
    expect(decideCall(context(given), spelled)).toEqual({ kind: 'run', where: 'outside' });
    const elsewhere = command('make all', { ...escalated, cwd: '/other' });
    expect(short(decideCall(context(given), elsewhere))).toBe('ask outside');
    expect(short(decideCall(context({ ...given, canonical: 'other' }), spelled))).toBe('ask outside');
  });

  it('to one thing more does not cover running outside', () => {
    const permissions = { write: ['/srv'] };
    const inside = command('make', { escalation: { permissions } });
    const grants = ask(script('make'), inside);
    expect(decideCall(context({ ...script('make'), grants }), inside)).toEqual({
      kind: 'run',
      where: 'sandbox',
      extra: permissions,
    });
    expect(short(decideCall(context({ ...script('make'), grants }), command('make', escalated)))).toBe('ask outside');
  });

  it('to a patch covers its files, one by one', () => {
    const grants = ask({}, patch('/srv/a', '/srv/b'));
    expect(decideCall(context({ grants }), patch('/srv/b'))).toEqual({
      kind: 'run',
      where: 'sandbox',
      extra: { write: ['/srv'] },
    });
    expect(short(decideCall(context({ grants }), patch('/srv/b', '/srv/c')))).toBe('ask sandbox');
  });

  it('to permissions holds for every later command', () => {
    const permissions = { network: true, write: ['/srv'] } as const;
    const grants = ask({}, { request: { permissions } });
    const decision = decideCall(context({ ...script('make'), grants }), command('make'));
    expect(decision).toEqual({ kind: 'run', where: 'sandbox', extra: permissions });
    const granted = grantedPolicy(policies['workspace-write'], decision as { where: 'sandbox' });
    expect([accessAt(granted, '/srv/x'), accessAt(granted, '/etc/x'), granted.network]).toEqual([
      'write',
      'read',
      'enabled',
    ]);
    expect(short(decideCall(context({ grants }), { request: { permissions: { write: ['/srv/x'] } } }))).toBe(
      'run sandbox',
    );
  });

  it('of a broken file grants nothing', () => {
    const grants = ['', '{', '["write"]', '["read",1]', '"network"'].map((key) => ({ key }));
    expect(decideCall(context({ ...script('make'), grants }), command('make'))).toEqual({
      kind: 'run',
      where: 'sandbox',
    });
  });
});

describe('a patch', () => {
  it('outside gets the folders of the files that it may not write, and no others', () => {
    const decision = decideCall(context(), patch('/repo/a', '/srv/x/b', '/repo/.codex/config.toml'));
    expect(decision).toMatchObject({
      kind: 'ask',
      question: { kind: 'patch', permissions: { write: ['/srv/x', '/repo/.codex'] }, scopes: ['call', 'session'] },
      where: 'sandbox',
    });
    const granted = grantedPolicy(policies['workspace-write'], decision as { where: 'sandbox' });
    const paths = ['/srv/x/b', '/srv/y', '/repo/.codex/config.toml', '/repo/.git/config'];
    expect(paths.map((path) => accessAt(granted, path))).toEqual(['write', 'read', 'write', 'read']);
  });

  it('of a file that is denied is not asked about: its own guard refuses it', () => {
    const policy = restricted(write('/repo'), deny('/repo/secret'));
    expect(short(decideCall(context({ policy }), patch('/repo/secret/a')))).toBe('run sandbox');
  });
});

describe('permissions beyond the sandbox', () => {
  const wants = (permissions: object): CallNeeds => command('make', { escalation: { permissions } });

  it('that are there already are not asked for', () => {
    expect(decideCall(context(script('make')), wants({ read: ['/etc'], write: ['/repo/x'] }))).toEqual({
      kind: 'run',
      where: 'sandbox',
    });
  });

  it('that are denied for good are refused by name', () => {
    const policy = restricted(write('/repo'), deny('/repo/secret'));
    const refusal = { kind: 'refuse', why: '"/repo/secret/x" is denied, and no request can change that.' };
    expect(decideCall(context({ policy }), wants({ read: ['/repo/secret/x'] }))).toMatchObject(refusal);
    const request = { permissions: { write: ['/repo/secret/x'] } };
    expect(decideCall(context({ policy }), { request })).toMatchObject(refusal);
  });

  it('are asked for in so many words, and offer no rule', () => {
    const decision = decideCall(context(script('make')), wants({ network: true, write: ['/srv', '/repo'] }));
    expect(decision).toMatchObject({
      kind: 'ask',
      question: { permissions: { network: true, write: ['/srv'] }, scopes: ['call', 'session'] },
      where: 'sandbox',
      extra: { network: true, write: ['/srv'] },
    });
  });

  it('are refused where the policy turns the tool off', () => {
    const approval = granular({ sandbox_approval: true, rules: true });
    const request = { permissions: { network: true } } as const;
    expect(decideCall(context({ approval }), { request })).toMatchObject({
      kind: 'refuse',
      why: 'the approval policy turns off questions about more permissions (request_permissions).',
    });
  });
});

test.each([
  ['nothing asks for it', {}, command('make'), false, false],
  ['it may be dangerous', {}, command('rm -rf x'), true, true],
  ['there are rules', { rules: rules(['allow', 'ls']) }, command('make'), false, true],
  ['everything is asked', { approval: 'untrusted' }, command('make'), false, true],
  ['it wants out', {}, command('make', escalated), false, true],
  ['it wants out and no one can be asked', { canAsk: false }, command('make', escalated), false, false],
  ['it is a patch', { approval: 'untrusted' }, patch('/a'), true, false],
] as const)('a command is read where %s', (_name, more, needs, maybeDangerous, expected) => {
  expect(dependsOnAnalysis(context(more), needs, { maybeDangerous })).toBe(expected);
});

describe('a tool that acts elsewhere', () => {
  const changes: CallNeeds = { remote: { tool: 'deploy' } };
  const cases = Object.keys(approvals).flatMap((approval) =>
    (['workspace-write', 'full-access'] as const).map((policy) => [approval, policy] as const),
  );
  const expected: Readonly<Record<string, string>> = {
    'untrusted workspace-write': 'ask',
    'untrusted full-access': 'ask',
    'on-request workspace-write': 'ask',
    'on-request full-access': 'run',
    'never workspace-write': 'refuse',
    'never full-access': 'run',
    'granular workspace-write': 'ask',
    'granular full-access': 'run',
    'granular, all off workspace-write': 'refuse',
    'granular, all off full-access': 'run',
  };

  it.each(cases)('under %s with %s', (approval, policy) => {
    const given = context({ approval: approvals[approval as keyof typeof approvals], policy: policies[policy] });
    expect(decideCall(given, changes).kind).toBe(expected[`${approval} ${policy}`]);
    // A call that changes nothing needs no question, and a tool that declares nothing runs as ever.
    expect(decideCall(given, { remote: { tool: 'deploy', reads: true } }).kind).toBe('run');
    expect(decideCall(given, {}).kind).toBe('run');
  });

  it('is not asked about again after a yes for the session, and says why it is refused', () => {
    const asked = decideCall(context(), changes);
    if (asked.kind !== 'ask') throw new Error(asked.kind);
    expect(asked.question).toMatchObject({ kind: 'tool', scopes: ['call', 'session'] });
    const grants = asked.grantKeys.map((key) => ({ key }));
    expect(decideCall(context({ grants }), changes).kind).toBe('run');
    expect(decideCall(context({ grants }), { remote: { tool: 'other' } }).kind).toBe('ask');
    expect(describeGrants(grants)).toEqual({ tools: ['deploy'] });
    expect(decideCall(context({ approval: 'never' }), changes)).toMatchObject({
      why: 'the tool "deploy" acts outside the sandbox, and the approval policy is never, and the user cannot be asked.',
    });
  });
});

describe('a command whose input stays open', () => {
  const typed = { typed: true } as const;
  const typing = 'The model will be able to type into it while it runs.';
  const allowed = { rules: rules(['allow', 'git commit'], ['allow', 'make']) };

  test.each(['git commit -a', 'make'])('%s stays inside whatever a rule allows', (text) => {
    expect(short(decideCall(context(script(text, allowed)), command(text)))).toBe('run outside');
    expect(short(decideCall(context(script(text, allowed)), command(text, typed)))).toBe('run sandbox');
  });

  it('leaves only by a question of its own, which says so and offers no more', () => {
    const decision = decideCall(context(script('make', allowed)), command('make', { ...escalated, ...typed }));
    expect(decision).toMatchObject({
      kind: 'ask',
      where: 'outside',
      question: {
        typed: true,
        reason: `It would run outside the sandbox. ${typing} A yes counts for this call alone.`,
        scopes: ['call'],
      },
      grantKeys: [],
    });
  });

  it.each([escalated, { escalation: { permissions: { write: ['/srv'] } } }])(
    'is not covered by an answer for the session to the same words: %j',
    (more) => {
      const asked = decideCall(context(script('npm i')), command('npm i', more));
      const grants = asked.kind === 'ask' ? asked.grantKeys.map((key) => ({ key })) : [];
      expect(decideCall(context(script('npm i', { grants })), command('npm i', more)).kind).toBe('run');
      const again = decideCall(context(script('npm i', { grants })), command('npm i', { ...more, ...typed }));
      expect(again).toMatchObject({ kind: 'ask', question: { reason: expect.stringContaining(typing) } });
    },
  );

  it('inside the sandbox may be allowed for the session, for itself', () => {
    const more = { approval: 'untrusted' } as const;
    const asked = decideCall(context(script('ls', more)), command('ls', typed));
    expect(asked).toMatchObject({ kind: 'ask', where: 'sandbox', question: { scopes: ['call', 'session'] } });
    const grants = asked.kind === 'ask' ? asked.grantKeys.map((key) => ({ key })) : [];
    expect(decideCall(context(script('ls', { ...more, grants })), command('ls', typed)).kind).toBe('run');
  });
});

describe('a builtin that evaluates its words', () => {
  const text = 'printf -v a[$(x)] 1';
  const allowed = { rules: rules(['allow', 'printf'], ['allow', 'export']) };

  it('stays inside whatever a rule allows, and so does one that changes what later words mean', () => {
    expect(short(decideCall(context(script('printf %s x', allowed)), command('printf %s x')))).toBe('run outside');
    for (const held of [text, `printf x && ${text}`, 'export PATH=. && printf x'])
      expect(short(decideCall(context(script(held, allowed)), command(held)))).toBe('run sandbox');
  });

  it('is asked about where there is no sandbox and the policy asks', () => {
    const more = { ...allowed, approval: 'untrusted', policy: policies['full-access'] } as const;
    expect(short(decideCall(context(script('printf %s x', more)), command('printf %s x')))).toMatch(/^run/);
    expect(decideCall(context(script(text, more)), command(text))).toMatchObject({
      kind: 'ask',
      byUser: true,
      question: { scopes: ['call'] },
      grantKeys: [],
    });
  });

  it('leaves only by a question of its own, which says so and offers no more: no hook answers it either', () => {
    expect(decideCall(context(script(text, allowed)), command(text, escalated))).toMatchObject({
      kind: 'ask',
      where: 'outside',
      byUser: true,
      question: {
        reason: expect.stringContaining('The shell may run what stands in the words of `printf`'),
        scopes: ['call'],
      },
      grantKeys: [],
    });
  });
});
