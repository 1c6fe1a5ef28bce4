import { describe, expect, test } from 'vitest';
import { matchRules, strictestDecision } from './match-rules.ts';
import { runRulesFile } from './rules-file.ts';
import { joinRules, type RuleSet } from './rule-set.ts';

function rules(text: string): RuleSet {
  const read = runRulesFile(text, { file: 'x.rules' });
  if (read.kind === 'problem') throw new Error(read.message);
  return read.rules;
}

function decide(text: string, command: string, resolveExecutables = false) {
  return matchRules(rules(text), command.split(' '), { resolveExecutables });
}

test('every rule that matches is named, and the strictest decides', () => {
  const found = decide(
    'prefix_rule(["git", "status"])\nprefix_rule(["git"], "prompt", justification="ask")',
    'git status -s',
  );
  expect(found).toEqual([
    { prefix: ['git', 'status'], decision: 'allow' },
    { prefix: ['git'], decision: 'prompt', justification: 'ask' },
  ]);
  expect(strictestDecision(found.map(({ decision }) => decision))).toBe('prompt');
  expect(strictestDecision(['allow', 'forbidden', 'prompt'])).toBe('forbidden');
  expect(strictestDecision([])).toBeUndefined();
});

test('each slot is one of its words, and the command is at least as long', () => {
  const text = 'prefix_rule([["npm", "pnpm"], ["i", "install"]])';
  expect(decide(text, 'pnpm install x')).toEqual([{ prefix: ['pnpm', 'install'], decision: 'allow' }]);
  for (const other of ['npm', 'npm run', 'yarn i', 'npm installx']) expect(decide(text, other)).toEqual([]);
});

describe('paths to programs', () => {
  const git = 'prefix_rule(["git"])\n';

  test('match a rule about the name only where they are resolved', () => {
    expect(decide(git, '/usr/bin/git x')).toEqual([]);
    expect(decide(git, '/usr/bin/../bin//git x', true)).toEqual([
      { prefix: ['git'], decision: 'allow', resolvedProgram: '/usr/bin/git' },
    ]);
  });

  test('match no rule about the name where another place is named, or none', () => {
    expect(decide(`${git}host_executable("git", ["/usr/bin/git"])`, '/usr/bin/git', true)).toHaveLength(1);
    expect(decide(`${git}host_executable("git", ["/opt/git"])`, '/usr/bin/git', true)).toEqual([]);
    expect(decide(`${git}host_executable("git", [])`, '/usr/bin/git', true)).toEqual([]);
    expect(decide(`${git}host_executable("git", [])`, 'git', true)).toHaveLength(1);
  });

  test('match a rule about the path alone, where there is one', () => {
    const found = decide(`${git}prefix_rule(["/usr/bin/git"], "prompt")`, '/usr/bin/git', true);
    expect(found).toEqual([{ prefix: ['/usr/bin/git'], decision: 'prompt' }]);
  });

  test('that are relative need the folder that they start from', () => {
    expect(decide(git, './git', true)).toEqual([]);
    const options = { resolveExecutables: true, cwd: '/w/a' };
    expect(matchRules(rules(git), ['../git'], options)).toMatchObject([{ resolvedProgram: '/w/git' }]);
    expect(matchRules(rules(git), ['gitt'], options)).toEqual([]);
  });

  test('whose name is one that every object has match nothing by chance', () => {
    expect(decide('prefix_rule(["constructor"])', '/x/constructor', true)).toHaveLength(1);
    expect(decide('prefix_rule(["a"])', '/x/toString', true)).toEqual([]);
  });
});

test('joined rules add up, and the last places of a program count', () => {
  const one = rules('prefix_rule(["a"])\nhost_executable("a", [])\nhost_executable("b", [])');
  const two = rules('prefix_rule(["a"], "prompt")\nhost_executable("a", ["/a"])');
  const all = joinRules([one, two]);
  expect(all.prefixes.map(({ decision }) => decision)).toEqual(['allow', 'prompt']);
  expect(all.executables).toEqual({ a: ['/a'], b: [] });
});
