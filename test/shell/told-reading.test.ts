import { expect, test } from 'vitest';
import { howScriptsAreRead } from '../../src/core/world/sections/approvals.ts';
import { analyse } from './reader.ts';

// Checks that each statement about scripts that the model reads is true of the analysis.

const [, splits = '', inside = '', unknown = '', ignored = ''] =
  /split into commands at (.*), also within (.*)\. If it has .* such as (.*), the whole script counts as one.* Assignments such as (.*) before a command are ignored\./.exec(
    howScriptsAreRead,
  ) ?? [];
const listed = (text: string): readonly string[] =>
  text.split(/, | and | or /).map((word) => word.replace(/^an? /, ''));

test.each(listed(splits))('a script is split at %s', (mark) => {
  const between = mark === 'newlines' ? '\n' : ` ${mark} `;
  expect(analyse(`make a${between}npm test`).commands).toEqual([
    ['make', 'a'],
    ['npm', 'test'],
  ]);
});

test.each(listed(inside))('also within %s', (brackets) => {
  const [open = '', close = ''] = brackets.split(' ');
  expect(analyse(`${open} make a; npm test; ${close}`).commands).toEqual([
    ['make', 'a'],
    ['npm', 'test'],
  ]);
});

/** One of each that the text names. */
const examples: Readonly<Record<string, string>> = {
  variable: 'make $target',
  assignment: 'FOO=1 make',
  wildcard: 'make *.c',
  substitution: 'make $(cat target)',
  'output to a file': 'make > log',
  loop: 'for a in b c; do make; done',
  heredoc: 'make -f - <<END\nall:\nEND',
  xargs: 'ls | xargs make',
  'find -exec': 'find . -exec make {} +',
};

test('a script with anything that the text names is one command', () => {
  expect(listed(unknown).toSorted()).toEqual(Object.keys(examples).toSorted());
  for (const script of Object.values(examples)) expect([script, analyse(script).commands]).toEqual([script, undefined]);
});

test.each(listed(ignored))('%s before a command is ignored', (assignment) => {
  expect(analyse(`${assignment} npm test`).commands).toEqual([['npm', 'test']]);
});

test('a command that rules hold back is still found in such a script', () => {
  expect(howScriptsAreRead).toContain('rules that refuse or ask still find theirs');
  for (const script of ['FOO=1 make', 'for a in b c; do make; done', 'echo $(make)', 'make > log', 'make $target']) {
    const { commands, seen } = analyse(script);
    expect([script, commands, seen.some(([name]) => name === 'make')]).toEqual([script, undefined, true]);
  }
});
