import { expect } from 'vitest';
import type { AskUser } from '../../src/ports/ask-user.ts';
import type { Line } from '../../src/protocol/line.ts';
import { stringAt } from '../../src/protocol/json.ts';
import type { Answer } from '../../src/protocol/question.ts';

const answers: readonly Answer[] = [
  { kind: 'allowed' },
  { kind: 'allowed', scope: 'session' },
  { kind: 'declined', note: 'Not now.' },
  { kind: 'allowed' },
  { kind: 'lapsed' },
  { kind: 'allowed', scope: 'rule' },
  { kind: 'stopped' },
];

/** Answers at once, and the same question always in the same way. */
export const decidedUser: AskUser = {
  ask: ({ argv = [] }) => Promise.resolve(answers[(argv.at(-1)?.length ?? 0) % answers.length]!),
};

/**
 * Law: a question stands before its answer, an answer before the call that it allows, and a call begins once; another
 * try outside the sandbox needs an answer of its own. A call that was asked about begins only after an answer that allows
 * it, or under a grant that was given before.
 */
export function checkAnswers(lines: readonly Line[]): void {
  const asked = new Map<string, string[]>();
  const begun = new Set<string>();
  const isGranted = { yet: false };
  for (const { type, payload } of lines) {
    const callId = `${stringAt(payload, 'turn_id')} ${stringAt(payload, 'call_id')}`;
    const known = asked.get(callId);
    if (type === 'capstan_call' && payload['item'] !== undefined) {
      const last = known?.at(-1);
      if (known !== undefined) expect(last === 'allowed' || (last === 'question' && isGranted.yet)).toBe(true);
      expect([callId, begun.has(callId) && last !== 'allowed']).toEqual([callId, false]);
      begun.add(callId);
      // Each answer is used once.
      if (last === 'allowed') asked.set(callId, [...known!, 'used']);
    }
    if (type !== 'capstan_question' || payload['dropped'] !== undefined) continue;
    const answer = payload['answer'] as Answer | undefined;
    // Whether a call may begin is not asked after it has, and nothing is answered twice.
    const isRetry = payload['kind'] === 'retry' || payload['kind'] === 'network';
    if (answer === undefined && !isRetry) expect([callId, begun.has(callId)]).toEqual([callId, false]);
    if (answer !== undefined) expect([callId, known?.at(-1)]).toEqual([callId, 'question']);
    if (answer?.scope === 'session') isGranted.yet = true;
    asked.set(callId, [...(known ?? []), answer === undefined ? 'question' : answer.kind]);
  }
}
