import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { expectLinear } from '../../testing/test-inputs.ts';
import { parseYaml } from './parse-yaml.ts';
import { allowsModelChoice, parsePlainTable, readSkillHead, parseYamlTable } from './skill-head.ts';

test.each<readonly [string, string, unknown]>([
  ['plain texts', 'a: one\nb : two # not this', { a: 'one', b: 'two' }],
  ['a colon in a text', 'a: use it: when https://x.org', { a: 'use it: when https://x.org' }],
  ['a colon at the end', "a: use it:\nb: it's: so # not this", { a: 'use it:', b: "it's: so" }],
  ['a colon in lines that go on', 'a: use it: when\n  you: can\nb: c', { a: 'use it: when you: can', b: 'c' }],
  ['a colon beside tables', 'a: b: c\nd:\n  e: [f, "g, h"]', { a: 'b: c', d: { e: ['f', 'g, h'] } }],
  ['signs that begin no plain text', 'a: `x` does\nb: @x/y\nc: %d', { a: '`x` does', b: '@x/y', c: '%d' }],
  ['a text that begins like a list', 'a: [file] [mode]\nb: [x] y', { a: '[file] [mode]', b: '[x] y' }],
  ['a text that begins like an alias', 'a: *bold* first\nb: c', { a: '*bold* first', b: 'c' }],
  ['a text that begins with quotes', 'a: "x" and: y # no\nb: \'it\' is', { a: '"x" and: y', b: "'it' is" }],
  ['a comma in a list', 'tags: [x, "y, z"]', { tags: ['x', 'y, z'] }],
  ['quotes', `a: "x \\"y\\"\\n\\u00e9"\nb: 'it''s' # so\n"c d": 'e'`, { a: 'x "y"\né', b: "it's", 'c d': 'e' }],
  ['lines that go on', 'a: one\n  two\n\n  three\nb: four', { a: 'one two\nthree', b: 'four' }],
  ['a quoted text of two lines', 'a: "one\n  two"\nb: x', { a: 'one two', b: 'x' }],
  ['blocks', 'a: |\n  one\n\n  two\nb: >-\n  three\n  four\n', { a: 'one\n\ntwo', b: 'three four' }],
  ['tables in tables', 'a:\n  b:\n    c: d\n  e: f\ng: h', { a: { b: { c: 'd' }, e: 'f' }, g: 'h' }],
  ['lists', 'a:\n- x\n- "y"\nb:\n  - z\nc: [p, "q"]', { a: ['x', 'y'], b: ['z'], c: ['p', 'q'] }],
  ['tables in lists', 'a:\n- b: c\n  d: e\n- f', { a: [{ b: 'c', d: 'e' }, 'f'] }],
  ['nothing', 'a:\nb: ~\n# only this\n', { a: '', b: '' }],
  ['no line', '', {}],
  ['Windows line ends', 'a: one\r\nb:\r\n  c: d\r\n', { a: 'one', b: { c: 'd' } }],
  [
    'other values as they are written',
    'a: 1.10\nb: 007\nc: True\nd: 2026-11-19\ne: 0x1F\nf: no\n1: .inf\ntrue: null',
    { a: '1.10', b: '007', c: 'True', d: '2026-11-19', e: '0x1F', f: 'no', 1: '.inf', true: '' },
  ],
  [
    'names of no table',
    '__proto__: a\nconstructor: b',
    Object.fromEntries([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]),
  ],
  ['an anchor that nothing names', 'a: &x b', { a: 'b' }],
  ['a tag of YAML', 'a: !!str 5', { a: '5' }],
])('reads %s', async (_, source, table) => {
  expect(await parseYamlTable(source)).toEqual({ kind: 'read', table });
});

test.each([
  ['a: "open', 'line 2 is no YAML (Missing closing "quote); put a text with special characters in quotes'],
  ['just words', 'its table has no lines of `key: value`'],
  ['- a\n- b', 'its table has no lines of `key: value`'],
  [Array.from({ length: 12 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'), 'its tables are nested too deeply'],
  ['a: &x [b]\nc: *x', 'its table has the alias `*x`; write the value itself, or quote it'],
  ['a: *x', 'its table has the alias `*x`; write the value itself, or quote it'],
  [
    ['a: &a [x, x]', ...Array.from({ length: 1000 }, (_, at) => `b${at}: [*a, *a]`)].join('\n'),
    'its table has the alias `*a`; write the value itself, or quote it',
  ],
  ['a: b\nc: !run x', 'line 3 has a tag; remove the tag'],
  ['a: !!omap [b: c]', 'its table has a tag; remove the tag'],
  ['a: !!binary aGVsbG8=', 'its table has a tag; remove the tag'],
  ['a: b\n...\nc: d', 'line 4 begins another document; write one table'],
  ['a: b\nc: d\na: e', 'its table has `a` twice; remove one of them'],
  ['a:\n\tb: c', 'line 3 is indented with a tab; use spaces'],
  ["a: 'it''s open\nb: \"x\\\"y z", expect.stringMatching(/^line \d is no YAML \(Missing closing/)],
  ['a: b\n"a": c: d', expect.stringMatching(/^line 3 is no YAML/)],
  ['a:\n  b: c\n  b: d', 'its table has `b` twice; remove one of them'],
  ['[a]: b', 'a key of its table is no text; write a plain word'],
  [`a: ${'x'.repeat(64 * 1024)}`, 'its table is larger than 64 KB; shorten it'],
])('says what is wrong: %#', async (source, reason) => {
  expect(await parseYamlTable(source)).toEqual({ kind: 'unread', reason });
});

test('plain lines read as the library reads them, and what is YAML as YAML', () => {
  const letter = fc.constantFrom(...'aNul ~:#-"\'\\[]{}|>&*!%@`,?.=05\t\u00A0\u2028\u0085\uFEFFéü漢😀');
  const text = fc.oneof(
    fc.string({ unit: letter, maxLength: 12 }),
    fc.constantFrom(
      'null',
      'Null',
      'NULL',
      'true',
      'False',
      '~',
      '1e3',
      '0o7',
      '.inf',
      'nan',
      'y',
      'a: b',
      'a #b',
      'a:',
    ),
  );
  const value = fc.oneof(
    text,
    text.map((each) => `"${each}"`),
    text.map((each) => `'${each}'`),
    text.map((each) => `Use ${each}`),
  );
  const key = fc.oneof(fc.constantFrom('name', 'description', 'a-b', 'null', 'Key_1'), text);
  const pair = fc.tuple(key, value).map((both) => both.join(': '));
  const below = pair.map((each) => `  ${each}`);
  const line = fc.oneof(
    pair,
    pair,
    fc.tuple(key, below).map(([outer, each]) => `${outer}:\n${each}`),
    below,
    key.map((each) => `${each}:`),
  );
  let plain = 0;
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), (lines) => {
      const source = lines.join('\n');
      const read = parseYaml(source);
      const table = parsePlainTable(source);
      if (table !== undefined) plain++;
      expect(table === undefined ? read : { kind: 'read', table }).toEqual(read);
      const strict = read.kind === 'read' ? strictly(source) : undefined;
      expect(strict === undefined || read.kind === 'unread' ? undefined : trimmed(read.table)).toEqual(strict);
    }),
    { numRuns: 1000 * inject('runFactor') },
  );
  expect(plain).toBeGreaterThan(40);
});

test('the head of most skills needs no library', () => {
  const head =
    'name: knit\ndescription: "Use it: always"\nmetadata:\n  short-description: Knits\nlicense: MIT: see LICENSE';
  expect(parsePlainTable(head)).toEqual({
    name: 'knit',
    description: 'Use it: always',
    metadata: { 'short-description': 'Knits' },
    license: 'MIT: see LICENSE',
  });
});

/** Undefined for what is no YAML, or has other keys and values than texts. */
function strictly(source: string): unknown {
  try {
    const table: unknown = parse(source, { logLevel: 'error' });
    if (typeof table !== 'object' || table === null) return undefined;
    const isPlain = Object.entries(table).every(
      ([name, each]) => /^(?:name|description|a-b|Key_1)$/.test(name) && typeof each === 'string',
    );
    return isPlain ? trimmed(table) : undefined;
  } catch {
    return undefined;
  }
}

/** The line end behind a block is not kept. */
function trimmed(table: object): unknown {
  return Object.fromEntries(Object.entries(table).map(([name, each]) => [name, String(each).trim()]));
}

test('whatever a file says, reading it ends, soon and with an answer', async () => {
  const unit = fc.constantFrom(...'a: \n"\'-|>#[]\\\t\0{}&*!~?,%`@', '<<', '---', '...', 'a: ');
  await fc.assert(
    fc.asyncProperty(fc.string({ unit, maxLength: 200 }), async (text) => {
      expect((await parseYamlTable(text)).kind).toMatch(/read/);
      expect((await readSkillHead(`---\n${text}\n---\n`, '/x/SKILL.md')).kind).toMatch(/head|wrong/);
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ' ',
  '"',
  "'",
  ':',
  'a: ',
  'a:\n ',
  '- ',
  ' #',
  '\\',
  'a: |\n',
  'a: b: c\n',
  '[',
  '{',
  '[a, ',
  '{a: ',
  '? ',
  '&a ',
  '*a ',
  '!!str ',
  '!a ',
  '%',
  '...\n',
  '-\n',
  'a: [b] c\n',
  '\n\n',
  '\t',
  'a: *b\n',
  'a: *b c\n',
  'a: "b" \'c\' d\n',
  '"a": c: d\n',
])('a file of nothing but %j is read in one pass', (piece) => {
  expectLinear(8192, (size) => parseYaml(piece.repeat(size / piece.length)));
});

test('a long gap is read in one pass', () => {
  expectLinear(32_768, (size) => parseYaml(`a: b: c${' '.repeat(size)}d`));
});

test('many keys are read in one pass', () => {
  expectLinear(4000, (count) => parseYaml(Array.from({ length: count }, (_, at) => `k${at}: v`).join('\n')));
});

test.each([
  ['policy:\n  allow_implicit_invocation: false', false],
  ['policy:\n  allow_implicit_invocation: False', false],
  ['policy: {allow_implicit_invocation: false}', false],
  ['policy:\n  allow_implicit_invocation: true', true],
  ['policy: none', true],
  ['allow_implicit_invocation: false', true],
  ['policy: "allow_implicit_invocation', true],
  ['"', true],
])('a skill may be chosen (%j): %s', async (text, may) => {
  expect(await allowsModelChoice(text)).toBe(may);
});

test.each([
  ['description: {a: 1}', 'its `description` is a list or a table; write a text, in quotes if need be'],
  ['description: [a, b]', 'its `description` is a list or a table; write a text, in quotes if need be'],
  ['name: [a, b]\ndescription: c', 'its `name` is a list or a table; write a text, in quotes if need be'],
  ['description:', 'it has no `description`'],
])('a skill with the table %j is left out, and the reason names the key', async (table, reason) => {
  expect(await readSkillHead(`---\n${table}\n---\n`, '/x/SKILL.md')).toEqual({ kind: 'wrong', reason });
});

test('a mistake is named by its line of the file', async () => {
  const found = await readSkillHead('---\ndescription: a\nlicense: !run x\n---\n', '/x/SKILL.md');
  expect(found).toEqual({ kind: 'wrong', reason: 'line 3 has a tag; remove the tag' });
});

test('a skill whose path has characters that show nothing is left out', async () => {
  const found = await readSkillHead('---\nname: a\ndescription: b\n---\n', '/x/fmt\u{E0072}/SKILL.md');
  expect(found).toEqual({ kind: 'wrong', reason: 'its path has characters that show nothing' });
});
