import { describe, expect, it } from 'vitest';
import { defaultScreenLook } from '../screen/tui-screen.ts';
import { keyPress } from '../screen/terminal/terminal-port.ts';
import type { Look } from '../screen/text/look.ts';
import { ListView } from './list-view.ts';

const plain = defaultScreenLook({ NO_COLOR: '1' }, { cwd: '/w', home: '/h' });
const look: Look = { ...plain, width: 60, details: 'folded', now: 0 };
const items = Array.from({ length: 30 }, (_, at) => ({
  label: at === 29 ? 'a much longer name' : `item ${at}`,
  about: `about ${at}`,
}));

function list(isSearched: boolean) {
  const picked: number[] = [];
  const view = new ListView({ title: 'T', items, isSearched, pick: (at) => void picked.push(at), close: () => {} });
  const press = (...names: readonly string[]): void => names.forEach((name) => view.input(keyPress(name)));
  return { view, picked, press, rows: () => view.frame(look, 14).rows };
}

describe('a list', () => {
  it('has its columns at the same place, wherever it is scrolled to', () => {
    const { press, rows } = list(false);
    const places = new Set<number>();
    for (let at = 0; at < 30; at += 1) {
      for (const row of rows().filter((each) => each.includes('about '))) places.add(row.indexOf('about '));
      press('down');
    }
    expect(places.size).toBe(1);
  });

  it('moves by letters and picks by digits where nothing is typed into it', () => {
    const { view, press, picked } = list(false);
    press('j', 'j', 'k', '3', 'enter', 'k', 'k');
    expect([picked, view.chosen]).toEqual([[2, 1], 29]);
  });

  it('takes letters, digits, blanks and pastes into its search', () => {
    const { view, press, picked, rows } = list(true);
    press('j');
    expect(rows().join('\n')).toContain('No matches.');
    press('backspace', 'i', 't', 'e', 'm', 'space');
    view.input({ kind: 'paste', text: '1\n7' });
    expect(rows().slice(0, 3)).toEqual(['  T', '  › item 1 7', '› item 17  about 17']);
    press('enter');
    expect(picked).toEqual([17]);
  });
});
