import { expect, it } from 'vitest';
import {
  reviewContext,
  userActionFragment,
  userShellCommandFragment,
} from '../../../core/fragments/events/user-actions.ts';
import { renderFragment } from '../../../core/fragments/text/define-fragment.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { Line } from '../../../protocol/line.ts';
import { messageWordsOf } from '../../../core/state/turns/turn-words.ts';
import { emptyThreadListFacts, addLineToFacts, summaryFromFacts } from './thread-summary.ts';

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
const summary = (...lines: readonly Line[]) =>
  summaryFromFacts(
    lines.reduce((fold, each) => addLineToFacts(fold, each, messageWordsOf(each)), emptyThreadListFacts),
  );
const previewOf = (...lines: readonly Line[]): string => summary(...lines).preview;
const waiting = ({ text }: { readonly text: string }, more: JsonObject = {}): Line => {
  const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
  return line('capstan_waiting', { id: 'w', kind: 'item', item, ...more });
};
const goalOf = (...lines: readonly Line[]): string | undefined => summary(...lines).goal;

it.each([
  [{ target: { kind: 'uncommitted' } }, 'Code review: changes that are not committed'],
  [{ target: { kind: 'base', branch: 'main' } }, 'Code review: changes against main'],
  [{}, 'Code review'],
])('a thread without a message is listed by its review %j: %s', (review, preview) => {
  const results = { action: 'review', context: reviewContext, results: 'Fine.' };
  expect(previewOf(waiting(renderFragment(userActionFragment, results), { review }))).toBe(preview);
});

it('or by a command of the user, and then by the first message', () => {
  const shell = { command: 'npm test', exitCode: 0, seconds: 1, output: '' };
  const ran = waiting(renderFragment(userShellCommandFragment, shell));
  expect(previewOf(ran)).toBe('! npm test');
  expect(previewOf(ran, ...turn('Fix it'))).toBe('Fix it');
});

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
