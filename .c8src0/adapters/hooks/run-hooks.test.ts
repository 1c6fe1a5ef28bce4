import { expect, it } from 'vitest';
import { StartHookRecord } from './run-hooks.ts';

it('hooks of a start ran, unless their turn was taken back or history was compacted since', () => {
  const starts = new StartHookRecord();
  const at = (turns: number, checkpoints: number, threadId = 'a') => ({ threadId, turns, checkpoints });
  expect(starts.holdsAt(at(3, 1))).toBe(false);
  starts.ranAt(at(3, 1));
  expect([starts.holdsAt(at(4, 1)), starts.holdsAt(at(9, 1))]).toEqual([true, true]);
  expect(starts.holdsAt(at(3, 1))).toBe(false);
  expect([starts.holdsAt(at(4, 2)), starts.holdsAt(at(4, 0))]).toEqual([false, false]);
  expect(starts.holdsAt(at(4, 1, 'b'))).toBe(false);
  expect([starts.takeEnd('b'), starts.takeEnd('a'), starts.takeEnd('a')]).toEqual([false, true, false]);
  expect(starts.holdsAt(at(4, 1))).toBe(false);
});
