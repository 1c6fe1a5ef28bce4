import { describe, expect, it } from 'vitest';
import type { TurnId } from '../../../protocol/ids.ts';
import type { Question } from '../../../protocol/question.ts';
import { plainLook } from '../app/plain-look.ts';
import { columnsOf } from '../text/columns.ts';
import type { Look } from '../text/look.ts';
import { keyPress } from '../screen/terminal-input.ts';
import { QuestionView } from './question-view.ts';

const look: Look = {
  ...plainLook({ NO_COLOR: '1', LC_ALL: 'C.UTF-8' }, { cwd: '/w', home: '/h' }),
  width: 80,
  now: 0,
  details: 'folded',
};

const question: Question = {
  id: 'q',
  callId: 'c',
  turnId: 't' as TurnId,
  tool: 'exec_command',
  item: {},
  kind: 'command',
  argv: ['bash', '-lc', 'make release'],
  cwd: '/a/folder/with/a/long/name/in/which/the/command/would/run/if/the/user/says/yes',
  reason: 'It would run outside the sandbox.',
  justification: 'The release needs the network, and writes into a folder that is not part of the workspace. '.repeat(
    3,
  ),
  prefix: ['make', 'release'],
  scopes: ['call', 'session', 'rule'],
};

function shown(asked: Question, width: number, height: number): readonly string[] {
  const view = new QuestionView({
    question: asked,
    item: undefined,
    waiting: () => 0,
    answer: () => undefined,
    showWhole: () => undefined,
  });
  return view.frame({ ...look, width }, height).rows;
}

describe('a question that does not fit', () => {
  it.each([
    [80, 13],
    [80, 11],
    [80, 10],
    [20, 29],
    [20, 16],
    [20, 10],
  ])('has the command, why it is asked, all answers and the key for the rest, at %i by %i', (width, height) => {
    const rows = shown(question, width, height);
    expect(rows.length).toBeLessThanOrEqual(height);
    for (const row of rows) expect(columnsOf(row)).toBeLessThanOrEqual(width);
    const text = rows.join('\n');
    expect(text).toContain('$ make release');
    expect(text).toContain('It would run');
    expect(text).toMatch(/… \d+ more.*: ctrl\+a/);
    for (const key of ['y', 'a', 'n', 'p', 't', 's']) expect(text).toContain(`(${key})`);
    expect(text.indexOf('$ make')).toBeLessThan(text.indexOf('It would run'));
  });

  it('has the beginning of a long command and says how much is left out', () => {
    const argv = ['bash', '-lc', Array.from({ length: 40 }, (_, at) => `step ${at}`).join('\n')];
    const rows = shown({ ...question, argv }, 80, 16);
    expect(rows[0]).toBe('  $ step 0');
    expect(rows.find((row) => row.includes('more rows'))).toMatch(/^ {2}… \d\d more rows: ctrl\+a shows all$/);
    expect(rows.join('\n')).toContain('It would run outside the sandbox.');
  });

  it('wraps the reason in a narrow window that has the rows for it', () => {
    const asked = { ...question, argv: ['ls'], reason: 'It would run outside the sandbox.' };
    const narrow = shown(asked, 20, 24);
    expect(narrow.map((row) => row.trim()).join(' ')).toContain('It would run outside the sandbox.');
    expect(shown({ ...asked, argv: ['bash', '-lc', 'echo ok\ntouch late'] }, 80, 13).join('\n')).toContain(
      'touch late',
    );
  });

  it('is whole where it fits', () => {
    expect(shown(question, 80, 40).join('\n')).not.toContain('more rows');
  });
});

/** What is answered, and when all that is asked is opened. */
function answered(asked: Question, height: number, ...names: readonly string[]): readonly string[] {
  const seen: string[] = [];
  const view = new QuestionView({
    question: asked,
    item: undefined,
    waiting: () => 0,
    answer: (answer) => seen.push(answer.scope ?? answer.kind),
    showWhole: (rows) => seen.push(rows(look).join('\n').includes('Nothing is answered yet') ? 'read first' : 'whole'),
  });
  for (const name of names) {
    view.frame(look, height);
    view.input({ kind: 'key', name, text: '' });
  }
  return seen;
}

it('a rule that has no room is shown whole before it is saved; other answers need no look', () => {
  expect(answered(question, 11, 'p', 'p', 'y')).toEqual(['read first', 'rule', 'call']);
  expect(answered(question, 11, 'ctrl+a', 'p')).toEqual(['whole', 'rule']);
  // Another rule has not been read.
  expect(answered(question, 11, 'p', 'left', 'enter')).toEqual(['read first', 'read first']);
  expect(answered(question, 40, 'p')).toEqual(['rule']);
});

it('a note with an answer does not allow what was not read', () => {
  const argv = ['bash', '-lc', 'echo ok\ntouch late'];
  const rule = ['down', 'down', 'down', 'tab', 'enter', 'enter'];
  expect(answered(question, 11, ...rule)).toEqual(['read first', 'rule']);
  expect(answered({ ...question, argv }, 4, 'tab', 'enter', 'enter')).toEqual(['read first', 'call']);
  expect(answered({ ...question, argv }, 4, 'tab', 'ctrl+a', 'enter')).toEqual(['read first']);
});

it('whether a yes counts hangs on the frame that was made last', () => {
  const argv = ['bash', '-lc', 'echo ok\ntouch late'];
  const seen: string[] = [];
  const view = new QuestionView({
    question: { ...question, argv },
    item: undefined,
    waiting: () => 0,
    answer: ({ kind }) => seen.push(kind),
    showWhole: () => seen.push('whole'),
  });
  view.frame(look, 40);
  view.frame(look, 4);
  view.input(keyPress('y'));
  view.frame(look, 40);
  view.input(keyPress('y'));
  expect(seen).toEqual(['whole', 'allowed']);
});

it('what is shown first says at its beginning that nothing is answered, and which keys do', () => {
  let whole: readonly string[] = [];
  const view = new QuestionView({
    question,
    item: undefined,
    waiting: () => 0,
    answer: () => {},
    showWhole: (rows) => void (whole = rows(look)),
  });
  view.frame(look, 11);
  view.input({ kind: 'key', name: 'p', text: 'p' });
  const words = 'Nothing is answered yet: the window had no room for all of this. q goes back, then p answers.';
  const text = (rows: readonly string[]): string => rows.map((row) => row.trim()).join(' ');
  expect([text(whole.slice(0, 2)), text(whole.slice(-2))]).toEqual([words, words]);
});

it('where no row can say that something is missing, all of it is shown before a yes counts', () => {
  const argv = ['bash', '-lc', 'echo ok\ntouch late'];
  for (let height = 3; height < 12; height++) {
    const isSaid = shown({ ...question, argv }, 80, height).some((row) => row.includes('more'));
    expect(answered({ ...question, argv }, height, 'y', 'y')[0]).toBe(isSaid ? 'call' : 'read first');
    expect(answered({ ...question, argv }, height, 'n')).not.toContain('read first');
  }
  expect(answered({ ...question, argv }, 4, 'y', 'y')).toEqual(['read first', 'call']);
});
