import { describe, expect, it } from 'vitest';
import type { Look } from '../screen/text/look.ts';
import { plain } from '../screen/text/style.ts';
import { type BrowseList, BrowseView, browsableText } from './browse-view.ts';
import { confirmationList } from './insight/checkpoints.ts';

const look: Look = {
  width: 40,
  colours: 'none',
  palette: 'dark',
  glyphs: 'unicode',
  details: 'folded',
  now: 0,
  cwd: '/',
  home: '/home',
};

const key = (name: string) => ({ kind: 'key', name, text: '' }) as const;

function longList(length: number): { readonly page: BrowseList; made(): number } {
  let made = 0;
  const row = (index: number) => {
    made++;
    return [plain(`item ${index}`)];
  };
  const open = (index: number) => browsableText({ title: `text ${index}`, about: [], text: () => 'a\n'.repeat(100) });
  return { page: { kind: 'list', title: 'Items', length, row, open }, made: () => made };
}

describe('pages to look through', () => {
  it('a list of 20,000 rows makes only those in sight, wherever the user goes', () => {
    const { page, made } = longList(20_000);
    const view = new BrowseView(page, () => {});
    for (const name of ['down', 'pagedown', 'end', 'pageup', 'up', 'home']) {
      view.input(key(name));
      expect(view.frame(look, 24).rows.length).toBe(24);
    }
    expect(made()).toBeLessThanOrEqual(6 * 22);
    view.input(key('end'));
    expect(view.frame(look, 24).rows.slice(-3)).toEqual([
      '  item 19998',
      '› item 19999',
      'Enter opens · Esc closes · q closes',
    ]);
  });

  it('opens a row, goes back to it, and closes from the first page', () => {
    let closed = 0;
    const view = new BrowseView(longList(5).page, () => void closed++);
    view.input(key('down'));
    view.input(key('enter'));
    expect(view.frame(look, 10).rows[0]).toBe('Items › text 1  0 %');
    view.input(key('escape'));
    expect(view.frame(look, 10).rows[2]).toBe('› item 1');
    view.input(key('escape'));
    expect(closed).toBe(1);
  });

  it('names every key, in more rows where one is too narrow', () => {
    const actions = ['pins', 'unpins', 'compacts'].map((does, at) => ({ key: String(at), does, press: () => {} }));
    const view = new BrowseView({ ...longList(50).page, actions }, () => {});
    const { rows } = view.frame(look, 24);
    expect(rows).toHaveLength(24);
    expect(rows.slice(-2).join(' ')).toBe('0 pins · 1 unpins · 2 compacts · Enter opens · Esc closes · q closes');
  });

  it('takes keys that come before a page was drawn', () => {
    const view = new BrowseView(longList(5).page, () => {});
    for (const name of ['enter', 'end']) view.input(key(name));
    expect(view.frame(look, 10).rows[0]).toBe('Items › text 0  100 %');
  });

  it('keeps rows of the list in sight below a long head, and fits every height', () => {
    const head = () => Array.from({ length: 50 }, () => [plain('head')]);
    const view = new BrowseView({ ...longList(100).page, head }, () => {});
    for (let height = 1; height < 30; height++) {
      expect(view.frame(look, height).rows.length).toBeLessThanOrEqual(Math.max(3, height));
    }
    for (let height = 8; height < 30; height++) {
      expect(view.frame(look, height).rows.filter((row) => row.includes('item')).length).toBe(4);
    }
  });

  it('an empty list says so, and its actions do nothing', () => {
    let pressed = 0;
    const actions = [{ key: 'x', does: 'removes it', press: () => void pressed++ }];
    const page = { kind: 'list', title: 'None', length: 0, row: () => [], empty: 'No notes.', actions } as const;
    const view = new BrowseView(page, () => {});
    for (const name of ['x', 'enter', 'down', 'end']) view.input(key(name));
    expect(view.frame(look, 5).rows[1]).toBe('  No notes.');
    expect(pressed).toBe(0);
  });
});

it.each([
  ['1', false],
  ['2', true],
])('a digit answers a yes or no: %s', (digit, isYes) => {
  const decided: boolean[] = [];
  const page = confirmationList({
    title: 'Sure?',
    about: [],
    no: 'No',
    yes: 'Yes',
    decide: (each) => decided.push(each),
  });
  const view = new BrowseView(page, () => {});
  view.input(key('3'));
  view.input(key(digit));
  expect(decided).toEqual([isYes]);
});
