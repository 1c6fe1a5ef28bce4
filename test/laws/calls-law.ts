import { expect } from 'vitest';
import type { Line } from '../../src/protocol/line.ts';

/** Law: once a turn is over, each call that began in it has one answer, after its start (I3). */
export function checkCalls(lines: readonly Line[]): void {
  const ended = new Set(lines.filter(endsTurn).map(({ payload }) => payload['turn_id']));
  for (const [at, { type, payload }] of lines.entries()) {
    if (type !== 'capstan_call' || payload['item'] === undefined || !ended.has(payload['turn_id'])) continue;
    const call = payload['call_id'];
    const answers = lines.flatMap((line, index) => (isAnswerTo(call, line) ? [index] : []));
    expect(answers, `answers to ${String(call)}`).toHaveLength(1);
    expect(answers[0]).toBeGreaterThan(at);
  }
}

function endsTurn({ payload }: Line): boolean {
  return payload['type'] === 'task_complete' || payload['type'] === 'turn_aborted';
}

function isAnswerTo(call: unknown, { type, payload }: Line): boolean {
  return type === 'response_item' && String(payload['type']).endsWith('_output') && payload['call_id'] === call;
}
