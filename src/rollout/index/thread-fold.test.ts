import { expect, it } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import type { Line } from '../../protocol/line.ts';
import { spokenWords } from '../../state/spoken-words.ts';
import { emptyFold, foldListed, summaryOf } from './thread-fold.ts';

const line = (type: string, payload: JsonObject): Line =>
  ({ timestamp: '2026-11-17T00:00:00.000Z', type, payload }) as Line;
const event = (type: string, more: JsonObject = {}): Line => line('event_msg', { type, ...more });
const turn = (id: string, ...inside: readonly Line[]): readonly Line[] => [
  event('task_started', { turn_id: id }),
  line('response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text: id }] }),
  ...inside,
  event('task_complete', { turn_id: id }),
];
const goal = (status: string): Line => event('thread_goal_updated', { goal: { objective: 'x', status } });
const goalOf = (...lines: readonly Line[]): string | undefined =>
  summaryOf(lines.reduce((fold, each) => foldListed(fold, each, spokenWords(each)), emptyFold)).goal;

it('a goal stands as its newest line says, and as an earlier one says if that was taken back', () => {
  const [begun, later] = [turn('a', goal('active'), goal('paused')), turn('b', goal('complete'))];
  const back = event('thread_rolled_back', { num_turns: 1 });
  expect(goalOf(...turn('a'))).toBeUndefined();
  expect(goalOf(...begun)).toBe('paused');
  expect(goalOf(...begun, ...later)).toBe('complete');
  expect(goalOf(...begun, ...later, back)).toBe('paused');
  expect(goalOf(...begun, ...later, back, back)).toBeUndefined();
  expect(goalOf(...begun, ...later, back, ...turn('c', goal('blocked')))).toBe('blocked');
  expect(goalOf(...begun, goal('nonsense'))).toBe('paused');
});
