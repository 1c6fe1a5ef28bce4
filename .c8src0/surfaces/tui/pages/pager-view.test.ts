import { expect, it } from 'vitest';
import { defaultScreenLook } from '../screen/tui-screen.ts';
import { keyPress } from '../screen/terminal/terminal-port.ts';
import type { Look } from '../screen/text/look.ts';
import { PagerView } from './pager-view.ts';

const look: Look = {
  ...defaultScreenLook({ NO_COLOR: '1' }, { cwd: '/w', home: '/h' }),
  width: 80,
  now: 0,
  details: 'folded',
};

it('follows what is added at its end; who scrolls up stays there, and who comes back to the end follows again', () => {
  const rows = Array.from({ length: 30 }, (_, at) => `row ${at}`);
  const pager = new PagerView({ title: 'Rows', startsAtEnd: true, rows: () => rows, close: () => {} });
  const lastRow = (): string | undefined => pager.frame(look, 12).rows.at(-2);
  const press = (name: string): string | undefined => {
    pager.input(keyPress(name));
    return lastRow();
  };
  const add = (): string | undefined => {
    rows.push(`row ${rows.length}`);
    return lastRow();
  };
  expect([lastRow(), add()]).toEqual(['row 29', 'row 30']);
  expect([press('up'), press('up'), add(), press('down')]).toEqual(['row 29', 'row 28', 'row 28', 'row 29']);
  expect([press('pagedown'), add()]).toEqual(['row 31', 'row 32']);
  expect([press('home'), add(), press('end'), add()]).toEqual(['row 9', 'row 9', 'row 33', 'row 34']);
});
