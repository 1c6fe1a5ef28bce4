import type { Answer } from '../../protocol/question.ts';
import { withUserWords } from './call-answers.ts';
import { whoDeclined } from './who-declined.ts';

/** Another try of a command that the sandbox stopped. */
export interface AskedRetry {
  /** Absent: an answer of before covers it, and no question was asked. */
  readonly answer?: Answer;
}

/** With the words for where it would run. */
type RetryWhere = AskedRetry & { readonly where: string };

const stopped = 'The sandbox stopped this command, and';

/** It ran once more. What follows is of the second run. */
export function ranAgain({ answer, where }: RetryWhere): string {
  const who = answer?.by === 'review' ? 'the reviewer' : answer?.by === 'hook' ? 'a hook of the user' : 'the user';
  const allowed = answer === undefined ? `allowed it ${where} for this session` : `let it run again ${where}`;
  const words = answer?.by === undefined ? answer?.note : undefined;
  return withUserWords(`${stopped} ${who} ${allowed}. This is the second run.`, words);
}

/** It did not. What follows is of the only run. */
export function notRunAgain({ answer = { kind: 'declined' }, where }: RetryWhere): string {
  if (answer.kind === 'lapsed') {
    return `${stopped} the turn was interrupted before there was an answer whether it may run again.`;
  }
  return `${stopped} ${whoDeclined(answer, `let it run again ${where}`)}`;
}
