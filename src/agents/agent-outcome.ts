import type { TurnEnd } from '../ports/threads.ts';
import type { AgentStatus } from '../protocol/agent.ts';
import { defined } from '../protocol/defined.ts';
import { errorWords } from '../protocol/error-words.ts';
import { fullText } from '../protocol/outcome.ts';

/** How a turn of an agent ended, for its parent. Undefined: it did not, but waits for the user. */
export function statusOf(end: TurnEnd): AgentStatus | undefined {
  switch (end.kind) {
    case 'completed':
      return { kind: 'completed', ...defined({ answer: end.lastMessage }) };
    case 'aborted':
      return { kind: 'interrupted' };
    case 'failed':
      return { kind: 'errored', message: fullText(end.outcome) };
    case 'suspended':
      return undefined;
  }
}

/** How its work ended that threw something. */
export function failedBy(error: unknown): AgentStatus {
  return { kind: 'errored', message: errorWords(error) };
}

export const neverStarted: AgentStatus = {
  kind: 'errored',
  message: 'It was not started: the program ended before it could begin.',
};

/** What came of its last work, in words. Undefined: nothing did. */
export function answerOf(last: AgentStatus | 'waits' | undefined): string | undefined {
  if (last === undefined || last === 'waits') return undefined;
  return last.kind === 'completed' ? last.answer : last.kind === 'errored' ? last.message : undefined;
}
