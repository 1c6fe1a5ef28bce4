import type { Answer, Question } from '../../protocol/question.ts';
import { reviewJudgement, reviewReasons } from './review-answers.ts';

/** Another try of a command that the sandbox stopped. */
export interface AskedRetry {
  /** What it could not reach. Absent: files were in its way, and the other try is outside the sandbox. */
  readonly host?: Question['host'];
  /** Absent: an answer of before covers it, and no question was asked. */
  readonly answer?: Answer;
}

/** It ran once more. What follows is of the second run. */
export function ranAgain({ host, answer }: AskedRetry): string {
  const who = answer?.by === 'review' ? 'the reviewer' : 'the user';
  const before = host === undefined ? 'allowed it outside the sandbox' : 'allowed that';
  const now = host === undefined ? 'let it run again outside the sandbox' : 'allowed that';
  const allowed = answer === undefined ? `${before} for this session` : now;
  return `${stopped(host)}, and ${who} ${allowed}. This is the second run.`;
}

/** It did not. What follows is of the only run. */
export function notRunAgain({ host, answer = { kind: 'declined' } }: AskedRetry): string {
  const again = host === undefined ? 'let it run again outside of it' : 'allow that';
  const { by, kind, note, verdict } = answer;
  const head = `${stopped(host)}, and`;
  if (kind === 'lapsed') return `${head} the turn was interrupted before there was an answer whether it may run again.`;
  if (by === 'default') return `${head} no answer was prepared that would ${again}.`;
  if (by !== 'review') return [`${head} the user did not ${again}.`, ...(note === undefined ? [] : [note])].join(' ');
  const reasons = reviewReasons(answer);
  if (verdict === undefined) return [`${head} no review was finished that would ${again}.`, ...reasons].join(' ');
  const judged = `(${reviewJudgement(verdict)})`;
  const said =
    verdict.overruled === true
      ? `Capstan did not ${again}, although the reviewer would have ${judged}.`
      : `the reviewer did not ${again} ${judged}.`;
  return [`${head} ${said}`, ...reasons].join(' ');
}

function stopped(host: Question['host']): string {
  if (host === undefined) return 'The sandbox stopped this command';
  return `The sandbox blocked the connection of this command to ${host.name}:${host.port}`;
}
