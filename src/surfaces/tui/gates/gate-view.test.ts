import { expect, it } from 'vitest';
import { plainLook } from '../app/plain-look.ts';
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
