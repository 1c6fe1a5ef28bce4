import { expect, it } from 'vitest';
import { processMarkLimits, mayHaveProcessMark } from './landlock-policy.ts';

it('a process is known by the limits of its home', () => {
  expect(mayHaveProcessMark(processMarkLimits(7), 7)).toBe(true);
  expect(mayHaveProcessMark(processMarkLimits(65_536), 65_536)).toBe(true);
  expect(mayHaveProcessMark(processMarkLimits(8), 7)).toBe(false);
});

it('a process of no known home may be of any', () => {
  expect(mayHaveProcessMark(processMarkLimits(0), 7)).toBe(true);
  expect(mayHaveProcessMark({ ...processMarkLimits(8), time: 0 }, 7)).toBe(true);
  expect(mayHaveProcessMark({ ...processMarkLimits(8), queues: 0 }, 7)).toBe(true);
});

it('a process with other limits is not held', () => {
  expect(mayHaveProcessMark({ queues: Infinity, time: Infinity }, 7)).toBe(false);
  expect(mayHaveProcessMark({ queues: 819_200, time: Infinity }, 7)).toBe(false);
  expect(mayHaveProcessMark({ ...processMarkLimits(7), time: Infinity }, 7)).toBe(false);
});
