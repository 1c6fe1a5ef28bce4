import type { Answer } from '../../protocol/question.ts';
import { whoDeclined } from './who-declined.ts';

/** Another try of a command that the sandbox stopped. */
export interface AskedRetry {
  /** Absent: an answer of before covers it, and no question was asked. */
  readonly answer?: Answer;
}

const stopped = 'The sandbox stopped this command, and';

/** It ran once more. What follows is of the second run. */
export function ranAgain({ answer }: AskedRetry): string {
  const who = answer?.by === 'review' ? 'the reviewer' : 'the user';
  const allowed =
    answer === undefined ? 'allowed it outside the sandbox for this session' : 'let it run again outside the sandbox';
  return `${stopped} ${who} ${allowed}. This is the second run.`;
}

/** It did not. What follows is of the only run. */
export function notRunAgain({ answer = { kind: 'declined' } }: AskedRetry): string {
  if (answer.kind === 'lapsed') {
    return `${stopped} the turn was interrupted before there was an answer whether it may run again.`;
  }
  return `${stopped} ${whoDeclined(answer, 'let it run again outside of it')}`;
}
