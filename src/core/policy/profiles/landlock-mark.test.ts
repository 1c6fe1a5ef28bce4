import { expect, it } from 'vitest';
import { limitsOfMark, mayHaveMark } from './landlock-policy.ts';

it('a process is known by the limits of its home', () => {
  expect(mayHaveMark(limitsOfMark(7), 7)).toBe(true);
  expect(mayHaveMark(limitsOfMark(65_536), 65_536)).toBe(true);
  expect(mayHaveMark(limitsOfMark(8), 7)).toBe(false);
});

it('a process of no known home may be of any', () => {
  expect(mayHaveMark(limitsOfMark(0), 7)).toBe(true);
  expect(mayHaveMark({ ...limitsOfMark(8), time: 0 }, 7)).toBe(true);
  expect(mayHaveMark({ ...limitsOfMark(8), queues: 0 }, 7)).toBe(true);
});

it('a process with other limits is not held', () => {
  expect(mayHaveMark({ queues: Infinity, time: Infinity }, 7)).toBe(false);
  expect(mayHaveMark({ queues: 819_200, time: Infinity }, 7)).toBe(false);
  expect(mayHaveMark({ ...limitsOfMark(7), time: Infinity }, 7)).toBe(false);
});
