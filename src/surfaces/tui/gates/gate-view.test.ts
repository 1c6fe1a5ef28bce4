import { expect, it } from 'vitest';
import { plainLook } from '../app/plain-look.ts';
import { keyPress } from '../screen/terminal-input.ts';
import type { Look } from '../text/look.ts';
import { GateView } from './gate-view.ts';

const plain = plainLook({ NO_COLOR: '1', LC_ALL: 'C.UTF-8' }, { cwd: '/w', home: '/h' });
const look: Look = { ...plain, width: 80, now: 0, details: 'folded' };
const nothing = (): void => {};
const choices = [{ label: 'Yes' }, { label: 'No' }];
const view = new GateView({
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
  expect(heights.filter(isCut)).toEqual([3, 4, 5, 6, 7]);
});

it('all of a long gate can be read by pages, with the choices in sight', () => {
  const text = Array.from({ length: 40 }, (_, at) => `server ${at}`);
  const long = new GateView({ title: 'Trust?', text, choices, pick: nothing, back: nothing, leave: nothing });
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
