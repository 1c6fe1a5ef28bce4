import { expect, test } from 'vitest';
import { allowedPrefixes, decidedHosts } from './match-rules.ts';
import { runRulesFile } from './rules-file.ts';
import { type RuleSet, restrictiveRules } from './rule-set.ts';

function rules(text: string): RuleSet {
  const read = runRulesFile(text, { file: 'x.rules' });
  if (read.kind === 'problem') throw new Error(read.message);
  return read.rules;
}

test('every way to write an allowed beginning is listed, unless another rule holds it back', () => {
  const text = 'prefix_rule(["npm", ["i", "ci"]])\nprefix_rule(["git", "push"])\nprefix_rule(["git"], "prompt")';
  expect(allowedPrefixes(rules(text))).toEqual([
    ['npm', 'i'],
    ['npm', 'ci'],
  ]);
});

test('a pattern with endless ways is cut', () => {
  const slot = `[${Array.from({ length: 100 }, (_, n) => `"${n}"`).join(', ')}]`;
  expect(allowedPrefixes(rules(`prefix_rule(["a", ${slot}, ${slot}, ${slot}])`))).toHaveLength(200);
});

test('of several rules about a host the last one counts, but one that asks lifts none that denies', () => {
  const host = (name: string, decision: string): string => `network_rule("${name}", "https", "${decision}")`;
  const text = [
    host('a', 'allow'),
    host('a', 'deny'),
    host('A.', 'prompt'),
    host('b', 'allow'),
    host('b', 'prompt'),
    host('c', 'prompt'),
    host('c', 'allow'),
    host('127.1', 'deny'),
    host('127.0.0.1', 'prompt'),
  ].join('\n');
  expect(decidedHosts(rules(text))).toEqual([
    { host: 'a', action: 'deny' },
    { host: 'b', action: 'ask' },
    { host: 'c:443', action: 'allow' },
    { host: '127.0.0.1', action: 'deny' },
  ]);
});

test('a rule that denies a host keeps its reason, and others have none', () => {
  const rule = (host: string, decision: string, why: string) =>
    `network_rule("${host}", "https", "${decision}", justification="${why}")`;
  const text = [rule('a', 'deny', ' Never there '), rule('b', 'allow', 'x'), rule('c', 'deny', 'y'.repeat(900))];
  expect(decidedHosts(rules(text.join('\n')))).toEqual([
    { host: 'a', action: 'deny', why: 'Never there' },
    { host: 'b:443', action: 'allow' },
    { host: 'c', action: 'deny', why: 'y'.repeat(300) },
  ]);
});

test('a rule that allows a host holds for its protocol alone, at the usual port', () => {
  const text = [
    'network_rule("a", "https", "allow")',
    'network_rule("a", "http", "allow")',
    'network_rule("::1", "https", "allow")',
    'network_rule("b", "socks5_tcp", "allow")',
    'network_rule("c", "http", "deny")',
    'network_rule("d", "https", "deny")',
    'network_rule("d", "http", "allow")',
  ].join('\n');
  const decided = decidedHosts(rules(text));
  expect(decided.map(({ host, action }) => `${action} ${host}`)).toEqual([
    'allow a:443',
    'allow a:80',
    'allow [::1]:443',
    'allow b',
    'deny c',
    'allow d:80',
  ]);
});

test('rules that may allow nothing keep what holds commands back', () => {
  const text =
    'prefix_rule(["a"])\nprefix_rule(["b"], "prompt")\nnetwork_rule("x", "http", "deny")\nnetwork_rule("y", "http", "allow")\nhost_executable("b", [])';
  expect(restrictiveRules(rules(text))).toMatchObject({
    prefixes: [{ pattern: ['b'] }],
    hosts: [{ host: 'x' }],
    executables: {},
  });
});
