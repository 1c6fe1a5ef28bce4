import { expect, it } from 'vitest';
import { defaultScreenLook } from '../../screen/tui-screen.ts';
import { keyPress } from '../../screen/terminal/terminal-port.ts';
import type { Look } from '../../screen/text/look.ts';
import { StartupQuestionView } from './startup-question-views.ts';

const plain = defaultScreenLook({ NO_COLOR: '1', LC_ALL: 'C.UTF-8' }, { cwd: '/w', home: '/h' });
const look: Look = { ...plain, width: 80, now: 0, details: 'folded' };
const nothing = (): void => {};
const choices = [{ label: 'Yes' }, { label: 'No' }];
const view = new StartupQuestionView({
  title: 'Trust?',
  text: ['a', 'b', 'c'],
  choices,
  pick: nothing,
  back: nothing,
  leave: nothing,
});

it('a gate that does not fit says so, at every height that has the room', () => {
  const isCut = (height: number): boolean => view.frame(look, height).rows.join('\n').includes('Not all of this fits');
  const heights = Array.from({ length: 10 }, (_, at) => at + 1);
  for (const height of heights) expect(view.frame(look, height).rows.length).toBeLessThanOrEqual(height);
  expect(heights.filter(isCut)).toEqual([2, 3, 4, 5, 6, 7]);
});

it('all of a long gate can be read by pages, with the choices in sight', () => {
  const text = Array.from({ length: 40 }, (_, at) => `server ${at}`);
  const long = new StartupQuestionView({
    title: 'Trust?',
    text,
    choices,
    pick: nothing,
    back: nothing,
    leave: nothing,
  });
  const seen = new Set<string>();
  for (let page = 0; page < 10; page++) {
    const { rows } = long.frame(look, 14);
    expect(rows.length).toBeLessThanOrEqual(14);
    expect(rows.join('\n')).toContain('1. Yes');
    for (const row of rows) seen.add(row.trim());
    long.input(keyPress('pagedown'));
  }
  expect(text.filter((line) => !seen.has(line))).toEqual([]);
  expect([...seen].join('\n')).toContain('Not all of this fits: rows 1-10 of 41, Page down shows more');
  expect(long.frame(look, 14).rows.join('\n')).toContain('rows 32-41 of 41, Page up goes back');
  for (let page = 0; page < 10; page++) long.input(keyPress('pageup'));
  expect(long.frame(look, 14).rows.join('\n')).toContain('Trust?');
});

it.each([
  [80, 5],
  [80, 9],
  [30, 9],
  [30, 4],
  [12, 6],
])('what trusts counts once all of the text was in sight, at %i by %i', (width, height) => {
  const text = Array.from({ length: 12 }, (_, at) => `wish ${at}`);
  const about = 'commands only read, and Capstan asks before most of them';
  const picked: number[] = [];
  const gate = new StartupQuestionView({
    title: 'Trust?',
    text,
    choices: [{ label: 'Yes', allows: true }, { label: 'No', about }, { label: 'Not now' }],
    pick: (index) => picked.push(index),
    back: nothing,
    leave: nothing,
  });
  const seen = new Set<string>();
  const at = { ...look, width };
  for (let press = 0; picked.length === 0 && press < 20; press++) {
    const { rows } = gate.frame(at, height);
    expect(rows.length).toBeLessThanOrEqual(height);
    expect(rows.join('\n')).toContain('1. Yes');
    expect(rows.at(-1)).toMatch(/Page (up|down)/);
    for (const row of rows) seen.add(row.trim());
    gate.input(keyPress(press % 2 === 0 ? '1' : 'enter'));
  }
  expect(picked).toEqual([0]);
  expect(['Trust?', ...text].filter((line) => !seen.has(line))).toEqual([]);
  // In another width the rows are others, and a no always counts.
  for (let page = 0; page < 9; page++) gate.input(keyPress('pageup'));
  gate.frame({ ...at, width: width - 1 }, height);
  for (const key of ['1', '2']) gate.input(keyPress(key));
  expect(picked).toEqual([0, 1]);
});

it('nothing is trusted in a window that has no row for the text, and the row about it can be read', () => {
  const picked: number[] = [];
  const [text, pick] = [['a', 'b', 'c'], (index: number) => void picked.push(index)];
  const allowing = [{ label: 'Yes', allows: true }, { label: 'No' }] as const;
  const gate = new StartupQuestionView({
    title: 'Trust?',
    text,
    choices: allowing,
    pick,
    back: nothing,
    leave: nothing,
  });
  for (let press = 0; press < 9; press++) {
    gate.frame(look, 2);
    gate.input(keyPress('1'));
  }
  expect(picked).toEqual([]);
  expect(gate.frame({ ...look, width: 30 }, 2).rows.at(-1)).toBe('make the window higher');
});
