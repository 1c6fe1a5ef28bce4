import { describe, expect, test } from 'vitest';
import { runRulesFile } from './rules-file.ts';

function rules(text: string) {
  const read = runRulesFile(text, { file: 'r/x.rules' });
  if (read.kind === 'problem') throw new Error(`${read.line}: ${read.message}`);
  return read.rules;
}

function problem(text: string): string {
  const read = runRulesFile(text, { file: 'r/x.rules' });
  return read.kind === 'read' ? 'none' : `${read.line}: ${read.message} ${read.next}`;
}

describe('prefix_rule', () => {
  test('gives one rule per program, and keeps the alternatives of other slots', () => {
    expect(rules('\nprefix_rule([["npm", "pnpm"], ["i", "install"]], "prompt", justification=" why ")')).toEqual({
      prefixes: ['npm', 'pnpm'].map((program) => ({
        pattern: [program, ['i', 'install']],
        decision: 'prompt',
        justification: ' why ',
        source: 'r/x.rules:2',
      })),
      hosts: [],
      executables: {},
    });
  });

  test('allows by default, and takes its values in order or by name', () => {
    const found = rules('prefix_rule(["a"], "forbidden", ["a b"], ["b"], "no")\nprefix_rule(pattern=["b"])').prefixes;
    expect(found).toEqual([
      { pattern: ['a'], decision: 'forbidden', justification: 'no', source: 'r/x.rules:1' },
      { pattern: ['b'], decision: 'allow', source: 'r/x.rules:2' },
    ]);
  });

  test.each([
    ['prefix_rule()', '`prefix_rule` needs `pattern`. Add it.'],
    ['prefix_rule([])', '`pattern` is empty. Name at least a program.'],
    ['prefix_rule(("a",))', '`pattern` must be a list, not a tuple. Write a list.'],
    ['prefix_rule("a")', '`pattern` must be a list, not a string. Write a list.'],
    ['prefix_rule(["a", []])', 'A list in `pattern` is empty. Name the words that may be there.'],
    ['prefix_rule(["a"], "deny")', '`decision` is "deny". Use one of: allow, prompt, forbidden.'],
    ['prefix_rule(["a"], None)', '`decision` must be a string, not a None. Write a string.'],
    ['prefix_rule(["a"], justification=" ")', '`justification` is empty. Write a reason, or leave it out.'],
    [
      'prefix_rule(["a"], why="x")',
      '`prefix_rule` takes no `why`. It takes: pattern, decision, match, not_match, justification.',
    ],
    ['prefix_rule(["a"], match=None)', '`match` must be a list, not a None. Write a list.'],
    ['prefix_rule(["a"], match=[""])', 'An example in `match` is empty. Write a command, or remove it.'],
    ['prefix_rule(["a"], match=[[]])', 'An example in `match` is empty. Write a command, or remove it.'],
    ['prefix_rule(["a"], match=["a \'"])', 'An example in `match` has an open quote. Close it.'],
  ])('%s', (text, expected) => {
    expect(problem(text)).toBe(`1: ${expected}`);
  });

  test.each([
    ['["a", 1]', 'number'],
    ['[("a", "b")]', 'tuple'],
    ['["a", ["b", 1]]', 'number'],
    ['["a", ["b", ["c"]]]', 'list'],
  ])('a pattern of %s is refused', (pattern, type) => {
    expect(problem(`prefix_rule(${pattern})`)).toContain(`not a ${type}.`);
  });
});

describe('examples', () => {
  test('an example that does not match fails the file, with the line of its rule', () => {
    expect(problem('prefix_rule(["a"])\nprefix_rule(["git"], match=["git x", "ls -l"])')).toBe(
      '2: The rule does not match `ls -l`, an example in `match`. Correct the pattern or the example.',
    );
    expect(problem('prefix_rule(["git"], match=["ls"], not_match=[["git", "a b"]])')).toBe(
      "1: The rule matches `git 'a b'`, an example in `not_match`. Correct the pattern or the example.",
    );
  });

  test('examples are held against their own rule alone', () => {
    expect(problem('prefix_rule(["a"])\nprefix_rule(["b"], match=["a"])')).toMatch(/^2: The rule does not match/);
    expect(problem('prefix_rule(["a"])\nprefix_rule(["b"], not_match=["a"])')).toBe('none');
    expect(problem('prefix_rule([["a", "b"]], match=["b x", "a"])')).toBe('none');
  });

  test('a path stands for its name, as far as the places of the program allow it anywhere in the file', () => {
    expect(problem('prefix_rule(["a"], match=["/usr/bin/a", "./a"])')).toBe('none');
    expect(problem('prefix_rule(["a"], match=["/x/a"])\nhost_executable("a", [])')).toMatch(/^1: The rule does not/);
  });

  test('strings are split as a shell splits them', () => {
    const text = String.raw`prefix_rule(["a", "b c", "d\"", "e"], match=["a 'b c' \"d\\\"\" \\e # x"])`;
    expect(problem(text)).toBe('none');
  });
});

describe('network_rule', () => {
  test.each([
    ['x.com', 'x.com'],
    ['X.Com..', 'x.com'],
    [' x.com:443 ', 'x.com'],
    ['[::1]:80', '::1'],
    ['[FE80::1]', 'fe80::1'],
    ['::1', '::1'],
  ])('%s is the host %s', (written, host) => {
    expect(rules(`network_rule("${written}", "https_connect", "deny", "why")`).hosts).toEqual([
      { host, protocol: 'https', decision: 'forbidden', justification: 'why', source: 'r/x.rules:1' },
    ]);
  });

  test.each([
    '*',
    '*.x.com',
    'https://x.com',
    'x.com/a',
    'x?',
    'x#',
    'a b',
    '',
    ' ',
    '...',
    ':80',
    '[x',
    '[::1]x',
    '[::1]:',
    '[]',
  ])('%j is no host', (written) => {
    expect(problem(`network_rule("${written}", "http", "allow")`)).toMatch(/^1: The host /);
  });

  test('takes known protocols and decisions', () => {
    const all = ['http', 'https', 'http-connect', 'socks5_tcp', 'socks5_udp'];
    const text = all.map((protocol) => `network_rule("x", "${protocol}", "prompt")`).join('\n');
    expect(rules(text).hosts.map(({ protocol }) => protocol)).toEqual([
      'http',
      'https',
      'https',
      'socks5_tcp',
      'socks5_udp',
    ]);
    expect(problem('network_rule("x", "ftp", "allow")')).toMatch(/`protocol` is "ftp"/);
    expect(problem('network_rule("x", "http", "maybe")')).toMatch(/`decision` is "maybe"/);
    expect(problem('network_rule("x", "http")')).toMatch(/needs `decision`/);
  });
});

describe('host_executable', () => {
  test('the last list of a name counts, and a path is there once', () => {
    const text = 'host_executable("a", [])\nhost_executable(name="a", paths=["/x/a", "/x/../x/a/"])';
    expect(rules(text).executables).toEqual({ a: ['/x/a'] });
  });

  test.each([
    '"", []',
    '"a/b", []',
    '".", []',
    '"a", ["x/a"]',
    '"a", ["/x/b"]',
    '"a", [1]',
    '"a", "/a"',
    '"a", ("/a",)',
  ])('host_executable(%s) is refused', (values) => {
    expect(problem(`host_executable(${values})`)).toMatch(/^1: /);
  });
});

test('a file counts as a whole or not at all', () => {
  expect(runRulesFile('prefix_rule(["a"])\nprefix_rule(["b"], "deny")', { file: 'x' })).toMatchObject({
    kind: 'problem',
    line: 2,
  });
  expect(runRulesFile('', { file: 'x' })).toEqual({
    kind: 'read',
    rules: { prefixes: [], hosts: [], executables: {} },
  });
});
