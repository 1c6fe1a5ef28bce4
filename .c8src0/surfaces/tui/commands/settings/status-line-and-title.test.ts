import { expect, it } from 'vitest';
import { keyPress } from '../../screen/terminal/terminal-port.ts';
import type { Look } from '../../screen/text/look.ts';
import { plain } from '../../screen/text/style.ts';
import { orderedItemsView } from './status-line-and-title.ts';

const look: Look = {
  width: 40,
  colours: 'none',
  palette: 'dark',
  glyphs: 'ascii',
  details: 'folded',
  now: 0,
  cwd: '/',
  home: '/',
};

it('picks items, puts them into an order, and shows what comes of it', () => {
  let saved: readonly string[] | undefined;
  const view = orderedItemsView<'model' | 'branch' | 'cost'>({
    title: 'Line',
    about: { model: 'the model', branch: 'of git', cost: 'in dollars' },
    chosen: ['branch'],
    preview: (chosen) => [plain(chosen.join(' '))],
    save: (chosen) => void (saved = chosen),
    close: () => expect.unreachable(),
  });
  const press = (...names: readonly string[]): readonly string[] => {
    for (const name of names) view.input(keyPress(name));
    return view.frame(look, 20).rows;
  };
  expect(press()).toEqual(
    [
      '  Line',
      '  >',
      '> [x] branch  of git',
      '  [ ] model   the model',
      '  [ ] cost    in dollars',
      '  Space picks, Left and Right move,',
      '  Enter saves, Esc goes back',
      '',
      'branch',
    ].map((row) => (row === '  >' ? '  > ' : row)),
  );
  expect(press('down', 'down', 'space', 'left').at(-1)).toBe('cost branch');
  expect(press().slice(2, 5)).toEqual(['> [x] cost    in dollars', '  [ ] model   the model', '  [x] branch  of git']);
  expect(press('m', 'o', 'd').slice(2, 5)).toEqual([
    '> [ ] model  the model',
    '  Space picks, Left and Right move,',
    '  Enter saves, Esc goes back',
  ]);
  expect(press('space', 'left', 'left', 'left').at(-1)).toBe('model cost branch');
  expect(press('x').at(2)).toBe('  No matches.');
  press('enter');
  expect(saved).toEqual(['model', 'cost', 'branch']);
  expect(view.frame({ ...look, width: 3 }, 2).rows).toHaveLength(2);
});
