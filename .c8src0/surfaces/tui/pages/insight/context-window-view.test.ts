import { expect, it } from 'vitest';
import { defaultScreenLook } from '../../screen/tui-screen.ts';
import type { Look } from '../../screen/text/look.ts';
import type { ContextWindowGroup } from './context-window-groups.ts';
import { freeSpaceMark, contextGroupMark, contextMapRows } from './context-window-view.ts';

const look: Look = {
  ...defaultScreenLook({ NO_COLOR: '1', LC_ALL: 'C.UTF-8' }, { cwd: '/w', home: '/h' }),
  width: 20,
  now: 0,
  details: 'folded',
};
const group: ContextWindowGroup = { kind: 'system', name: 'system', tokens: 10, items: [] };
const room = { limit: 20, compactsAt: 20, free: 10, reserve: 0 };

it('the map is drawn in letters without colours, and not at all for a screen reader', () => {
  expect(contextMapRows([group], room, 1, look).map((row) => row.map(({ text }) => text).join(''))).toEqual([
    'ssssssssss..........',
  ]);
  const read: Look = { ...look, glyphs: 'words' };
  expect(contextMapRows([group], room, 1, read)).toEqual([]);
  expect([contextGroupMark(group, read).text, freeSpaceMark(read).text]).toEqual(['', '']);
});
