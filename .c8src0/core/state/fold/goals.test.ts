import { expect, test } from 'vitest';
import { noUsage } from '../../../protocol/usage.ts';
import { goalWithSpending, type RecordedGoal } from './goals.ts';

const goal: RecordedGoal = {
  objective: 'All green',
  status: 'active',
  tokensUsed: 10,
  timeUsedSeconds: 5,
  createdAt: 100,
  updatedAt: 200,
  spent: 0,
};

test.each([
  ['in the turn of its line, since the line', 150_000, 35],
  ['in a later turn, since that turn began', 220_000, 15],
])('time counts %s', (_, from, timeUsedSeconds) => {
  const now = goalWithSpending(goal, { total: noUsage, at: 230_000, from });
  expect(now).toEqual({ ...goal, timeUsedSeconds, updatedAt: 230 });
});
