import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectLinear } from '../testing/expect-linear.ts';
import { mayBeChosen, readSkillHead } from './read-skill-head.ts';
import { readYaml } from './read-yaml.ts';

test.each<readonly [string, string, unknown]>([
  ['plain texts', 'a: one\nb : two # not this', { a: 'one', b: 'two' }],
  ['a colon in a text', 'a: use it: when https://x.org', { a: 'use it: when https://x.org' }],
  ['quotes', `a: "x \\"y\\"\\n\\u00e9"\nb: 'it''s' # so\n"c d": 'e'`, { a: 'x "y"\né', b: "it's", 'c d': 'e' }],
  ['lines that go on', 'a: one\n  two\n\n  three\nb: four', { a: 'one two three', b: 'four' }],
  ['a quoted text of two lines', 'a: "one\n  two"\nb: x', { a: 'one two', b: 'x' }],
  ['blocks', 'a: |\n  one\n\n  two\nb: >-\n  three\n  four\n', { a: 'one\n\ntwo', b: 'three four' }],
  ['tables in tables', 'a:\n  b:\n    c: d\n  e: f\ng: h', { a: { b: { c: 'd' }, e: 'f' }, g: 'h' }],
  ['lists', 'a:\n- x\n- "y"\nb:\n  - z\nc: [p, "q"]', { a: ['x', 'y'], b: ['z'], c: ['p', 'q'] }],
  ['nothing', 'a:\nb: ~\n# only this\n', { a: '', b: '' }],
  ['Windows line ends', 'a: one\r\nb:\r\n  c: d\r\n', { a: 'one', b: { c: 'd' } }],
])('reads %s', (_, source, table) => {
  expect(readYaml(source)).toEqual({ kind: 'read', table });
});

test.each([
  ['a: "open', 'the text that begins with "open is not closed'],
  ['just words', 'line 1 of its table is no `key: value`'],
  [Array.from({ length: 12 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'), 'its tables are nested too deeply'],
])('says what is wrong with %j', (source, reason) => {
  expect(readYaml(source)).toEqual({ kind: 'unread', reason });
});

test('whatever a file says, reading it ends, soon and with an answer', () => {
  const unit = fc.constantFrom(
    'a',
    ':',
    ' ',
    '\n',
    '"',
    "'",
    '-',
    '|',
    '>',
    '#',
    '[',
    ']',
    '\\',
    '\t',
    '\0',
    '{',
    '&',
    '~',
  );
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 200 }), (text) => {
      expect(readYaml(text).kind).toMatch(/read/);
      expect(readSkillHead(`---\n${text}\n---\n`, '/x/SKILL.md').kind).toMatch(/head|wrong/);
    }),
  );
});

test.each([' ', '"', "'", ':', 'a: ', 'a:\n ', '- ', ' #', '\\', 'a: |\n'])(
  'a file of nothing but %j is read in one pass',
  (piece) => {
    expectLinear(32_000, (count) => readYaml(piece.repeat(count)));
  },
);

test.each([
  ['policy:\n  allow_implicit_invocation: false', false],
  ['policy:\n  allow_implicit_invocation: true', true],
  ['policy: none', true],
  ['"', true],
])('a skill may be chosen (%j): %s', (text, may) => {
  expect(mayBeChosen(text)).toBe(may);
});
