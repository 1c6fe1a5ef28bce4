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

interface AskedCall {
  /** Questions that wait for an answer, each by its subject. There may be several while the call runs. */
  readonly open: Set<string>;
  isAsked: boolean;
  isBegun: boolean;
  /** The newest answer allows it, and is not used yet. */
  isAllowed: boolean;
}

/**
 * Law: a question stands before its answer, has one, and an answer stands before the call that it allows. A call begins
 * once; another try outside the sandbox needs an answer of its own. A call that was asked about begins only after an
 * answer that allows it, or under a grant that was given before.
 */
export function checkAnswers(lines: readonly Line[]): void {
  const calls = new Map<string, AskedCall>();
  let isGranted = false;
  for (const { type, payload } of lines) {
    const name = `${stringAt(payload, 'turn_id')} ${stringAt(payload, 'call_id')}`;
    const call = calls.get(name) ?? { open: new Set(), isAsked: false, isBegun: false, isAllowed: false };
    calls.set(name, call);
    if (type === 'capstan_call' && payload['item'] !== undefined) begin(name, call, isGranted);
    if (type !== 'capstan_question' || payload['dropped'] !== undefined) continue;
    const answer = payload['answer'] as Answer | undefined;
    const about = stringAt(payload, 'about') ?? '';
    if (answer === undefined) {
      // Once a call has begun, no question asks whether it may begin.
      const isRetry = payload['kind'] === 'retry' || payload['kind'] === 'network';
      if (!isRetry) expect([name, call.isBegun]).toEqual([name, false]);
      call.open.delete(stringAt(payload, 'supersedes') ?? '');
      expect([name, call.open.has(about)]).toEqual([name, false]);
      call.open.add(about);
      call.isAsked = true;
      call.isAllowed = false;
    } else {
      // Nothing is answered that is not asked, or twice.
      expect([name, call.open.delete(about)]).toEqual([name, true]);
      call.isAllowed = answer.kind === 'allowed';
      if (answer.scope === 'session') isGranted = true;
    }
  }
}

function begin(name: string, call: AskedCall, isGranted: boolean): void {
  const mayBegin = !call.isAsked || call.isAllowed || (call.open.size > 0 && isGranted);
  expect([name, mayBegin]).toEqual([name, true]);
  // Each answer is used once.
  expect([name, call.isBegun && !call.isAllowed]).toEqual([name, false]);
  Object.assign(call, { isBegun: true, isAllowed: false });
  call.open.clear();
}
