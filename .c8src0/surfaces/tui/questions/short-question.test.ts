import { describe, expect, it } from 'vitest';
import type { Question } from '../../../protocol/question.ts';
import type { TurnItem } from '../../../protocol/turn-item.ts';
import { defaultScreenLook } from '../screen/tui-screen.ts';
import { countColumns } from '../../../base/text-columns.ts';
import type { Look } from '../screen/text/look.ts';
import { questionRows } from './question-rows.ts';
import { PagerView } from '../pages/pager-view.ts';
import { QuestionView } from './question-view.ts';
import { sampleQuestion } from '../../../../test/harness/sample-question.ts';

const look: Look = {
  ...defaultScreenLook({ NO_COLOR: '1', LC_ALL: 'C.UTF-8' }, { cwd: '/w', home: '/h' }),
  width: 80,
  now: 0,
  details: 'folded',
};

const question = sampleQuestion({
  argv: ['bash', '-lc', 'make release'],
  cwd: '/a/folder/with/a/long/name/in/which/the/command/would/run/if/the/user/says/yes',
  reason: 'It would run outside the sandbox.',
  justification: 'The release needs the network, and writes into a folder that is not part of the workspace. '.repeat(
    3,
  ),
  prefix: ['make', 'release'],
  scopes: ['call', 'session', 'rule'],
});

function shown(asked: Question, width: number, height: number, item?: TurnItem): readonly string[] {
  const view = new QuestionView({
    question: asked,
    item,
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
    for (const row of rows) expect(countColumns(row)).toBeLessThanOrEqual(width);
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

/** The answer, and the moment when all that is asked is opened. Keys go to the screen that has them. */
function answered(
  asked: Question,
  height: number,
  names: readonly string[],
  { item, width = 80 }: { readonly item?: TurnItem; readonly width?: number } = {},
): readonly string[] {
  const seen: string[] = [];
  let pager: PagerView | undefined;
  const view = new QuestionView({
    question: asked,
    item,
    waiting: () => 0,
    answer: (answer) => seen.push(answer.scope ?? answer.kind),
    showWhole(rows, seenEnd) {
      seen.push(rows(look).join('\n').includes('Nothing is answered yet') ? 'read first' : 'whole');
      pager = new PagerView({ title: 'What is asked', rows, seenEnd, close: () => void (pager = undefined) });
    },
  });
  const at = { ...look, width };
  for (const name of names) {
    (pager ?? view).frame(at, height);
    (pager ?? view).input({ kind: 'key', name, text: name.length === 1 ? name : '' });
  }
  return seen;
}

const toEnd = ['end', 'q'];
const long: Question = {
  ...question,
  argv: ['bash', '-lc', 'echo ok\ntouch late'],
  justification: 'This shows the version. '.repeat(30),
};

it('a rule that has no room is shown to its end before it is saved; other answers need no look', () => {
  expect(answered(question, 11, ['p', ...toEnd, 'p', 'y'])).toEqual(['read first', 'rule', 'call']);
  expect(answered(question, 11, ['ctrl+a', ...toEnd, 'p'])).toEqual(['whole', 'rule']);
  // Another rule has not been read.
  expect(answered(question, 11, ['p', ...toEnd, 'left', 'enter'])).toEqual(['read first', 'read first']);
  expect(answered(question, 40, ['p'])).toEqual(['rule']);
});

it('what was opened and not read to its end is not read, whatever it took to open it', () => {
  expect(answered(long, 4, ['y', 'q', 'y'])).toEqual(['read first', 'read first']);
  expect(answered(long, 4, ['y', 'down', 'q', 'y', ...toEnd, 'y'])).toEqual(['read first', 'read first', 'call']);
  expect(answered(long, 11, ['ctrl+a', 'q', 'p'])).toEqual(['whole', 'read first']);
  // A note goes with the answer, and the answer is the same.
  const noted = ['tab', 'x', 'enter'];
  expect(answered(long, 4, [...noted, 'q', 'enter'])).toEqual(['read first', 'read first']);
  expect(answered(long, 4, [...noted, ...toEnd, 'enter'])).toEqual(['read first', 'call']);
});

it('a yes counts by what was drawn last, not by what the window could show', () => {
  const seen: string[] = [];
  let read = (): void => undefined;
  const view = new QuestionView({
    question,
    item: undefined,
    waiting: () => 0,
    answer: ({ scope }) => seen.push(scope ?? ''),
    showWhole(_, seenEnd) {
      seen.push('read first');
      read = () => seenEnd(look);
    },
  });
  const press = (name: string): void => view.input({ kind: 'key', name, text: '' });
  // Nothing was drawn.
  press('y');
  view.frame(look, 40);
  // The rule changes, and is not drawn.
  press('left');
  press('p');
  view.frame(look, 40);
  press('p');
  expect(seen).toEqual(['read first', 'read first', 'rule']);
  view.frame(look, 4);
  press('p');
  read();
  press('p');
  // In another width the rows are others.
  view.frame({ ...look, width: 40 }, 4);
  press('p');
  expect(seen.slice(3)).toEqual(['read first', 'rule', 'read first']);
});

it('the words of the model stand behind what is asked, with a mark in each row', () => {
  const rows = questionRows(long, undefined, look).all;
  const words = rows.findIndex((row) => row.includes('The model says'));
  expect(rows.findIndex((row) => row.includes('touch late'))).toBeLessThan(words);
  expect(rows.findIndex((row) => row.includes('begin with'))).toBeLessThan(words);
  expect(rows.slice(words + 1).every((row) => row.startsWith('  | '))).toBe(true);
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
  const words =
    'Nothing is answered yet: the window had no room for all of this. Read it to its end; then q goes back, and p answers.';
  const text = (rows: readonly string[]): string => rows.map((row) => row.trim()).join(' ');
  expect([text(whole.slice(0, 2)), text(whole.slice(-2))]).toEqual([words, words]);
});

it('in a low window a yes counts where all of the command is in sight', () => {
  for (let height = 1; height < 13; height++) {
    const rows = shown(long, 80, height).join('\n');
    const isSeen = rows.includes('$ echo ok') && rows.includes('> touch late') && rows.includes('more');
    expect([height, rows.split('\n').length]).toEqual([height, height]);
    expect([height, answered(long, height, ['y'])]).toEqual([height, [isSeen ? 'call' : 'read first']]);
    expect(answered(long, height, ['n'])).not.toContain('read first');
    expect(/more rows: ctrl\+a/.test(rows)).toBe(height > 2);
    expect(rows).toContain('› 1. ');
  }
  // As in windows of 10 and more rows.
  expect(answered(long, 9, ['y'])).toEqual(['call']);
  const wide = { ...long, permissions: { write: ['/etc'] } };
  expect(answered(wide, 9, ['y'])).toEqual(['read first']);
  expect(answered(wide, 10, ['y'])).toEqual(['call']);
});

it('a long command in a usual window needs no look: a row says how much of it is missing', () => {
  const argv = ['bash', '-lc', Array.from({ length: 60 }, (_, at) => `step ${at}`).join('\n')];
  expect(answered({ ...question, argv }, 23, ['y'])).toEqual(['call']);
  expect(answered({ ...question, argv }, 12, ['y'])).toEqual(['read first']);
});

it('a patch has its paths in sight before a yes counts in a low window; its lines may be cut', () => {
  const change = (name: string) => ({ kind: 'update' as const, path: `/w/${name}`, diff: '@@\n-a\n+b\n'.repeat(9) });
  const { id, callId, turnId, item } = question;
  const scopes = ['call', 'session'] as const;
  const asked: Question = { id, callId, turnId, item, kind: 'patch', tool: 'apply_patch', scopes };
  const of = (...names: readonly string[]): TurnItem => ({
    kind: 'file-change',
    id: 'c',
    status: 'in-progress',
    changes: names.map(change),
  });
  expect(shown(asked, 80, 11, of('late.txt')).join('\n')).toContain('late.txt');
  expect(answered(asked, 11, ['y'], { item: of('late.txt') })).toEqual(['call']);
  const many = of('a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'a8', 'late.txt');
  expect(answered(asked, 11, ['y'], { item: many })).toEqual(['read first']);
  expect(answered(asked, 23, ['y'], { item: many })).toEqual(['call']);
  expect(shown(asked, 80, 23, many).join('\n')).toContain('late.txt');
});
