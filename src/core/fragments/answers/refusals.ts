import { endWithFullStop } from '../../../protocol/outcome.ts';
import type { RequestedHost } from '../../../protocol/permissions.ts';
import type { Answer } from '../../../protocol/question.ts';
import { hostAtPort } from '../../policy/network/host-lists.ts';
import { truncateMiddle } from '../text/truncate.ts';
import { unansweredToolText } from './content-parts.ts';
import {
  clientSilence,
  declinedByUserText,
  interruptedWhileAsking,
  noPreparedAnswerText,
  notAskedByClientText,
  stoppedByUserText,
  withUserComment,
} from './tool-calls.ts';

export interface AskedRefusal {
  readonly why?: string;
  readonly next?: string;
  /** The question asked for content, not for a permission. */
  readonly content?: 'input' | 'client-tool';
}

/** Also used when a later process answers the call. */
export function refusalText(answer: Answer, asked: AskedRefusal = {}): string {
  const { kind, note, by } = answer;
  if (asked.content === 'input') return unansweredInput(answer);
  if (asked.content === 'client-tool') return unansweredToolText(answer);
  if (by === 'review') return refusedByReviewText(answer);
  if (by === 'hook') return declinedByHook(note);
  if (kind === 'lapsed') return interruptedWhileAsking;
  if (by === 'client') return notAskedByClientText(note);
  if (by === 'default') return noPreparedAnswerText(asked.why, asked.next);
  return kind === 'stopped' ? stoppedByUserText(note) : declinedByUserText(note);
}

/** `command`: the command that the call would have started. */
export function blockedByHookText(reason: string, { tool, command }: { tool: string; command?: string }): string {
  return command === undefined
    ? `Tool call blocked by PreToolUse hook: ${endWithFullStop(reason)} Tool: ${tool}`
    : `Command blocked by PreToolUse hook: ${endWithFullStop(reason)} Command: ${command}`;
}

const declinedByHook = (note: string | undefined): string =>
  note === undefined || note === ''
    ? 'Not run: a hook of the user declined it.'
    : `Not run: a hook of the user declined it: ${endWithFullStop(note)}`;

const mostOfCall = 1000;

/** Tells the model before the result that a hook changed its call. `ran`: the command or arguments that ran. */
export function changedByHookText(ran: string): string {
  const shown = truncateMiddle(ran, { mode: 'bytes', limit: mostOfCall });
  return `A hook of the user changed this call before it ran. What ran: ${shown}`;
}

export const brokenByHookText = (problem: string): string =>
  `Not run: a hook of the user changed this call, and what it made of it cannot run. ${problem}`;

/** Replaces a result that a hook rejected. `exitCode`: the command's. */
export function rejectedByHookText(reason: string, exitCode?: number): string {
  const ran = `The call ran${exitCode === undefined ? '' : ` and exited with code ${exitCode}`}.`;
  return reason === ''
    ? `${ran} A PostToolUse hook of the user withholds its result, and gave no reason.`
    : `${ran} A PostToolUse hook of the user withholds its result and says: ${reason}`;
}

export function endedCommandText(command: string, words: string): string {
  const shown = truncateMiddle(command, { mode: 'bytes', limit: mostOfCall });
  return `About the command that has now ended, ${JSON.stringify(shown)}:\n${words}`;
}

function unansweredInput({ kind, note, by }: Answer): string {
  if (kind === 'lapsed') return 'request_user_input was cancelled before receiving a response';
  if (by === 'default') return `No answer was prepared for this run. ${goOn}`;
  if (by === 'client') return `No answer of the user reached Capstan. ${note ?? clientSilence.unreadable} ${goOn}`;
  if (kind === 'stopped') return withUserComment('The user did not answer, and stopped the turn.', note);
  return withUserComment(`The user declined to answer. ${goOn}`, note);
}

const goOn = 'Decide yourself, and say in your answer what you assumed.';

export function refusedByReviewText(answer: Answer): string {
  const { kind, verdict } = answer;
  const next =
    kind === 'stopped'
      ? ['The turn ends here.']
      : verdict === undefined
        ? []
        : [
            'Do not try to reach the same in another way. Choose a materially safer one, or tell the user what is needed.',
          ];
  return [`Not run: ${decided(verdict)}.`, ...reviewReasons(answer), ...next].join(' ');
}

function decided(verdict: Answer['verdict']): string {
  if (verdict === undefined) return 'it was not approved';
  const judged = reviewJudgement(verdict);
  if (verdict.overruled !== true) return `the reviewer declined it (${judged})`;
  return `the reviewer would have allowed it (${judged}), and Capstan overruled the reviewer`;
}

const reviewJudgement = ({ risk, authorization }: NonNullable<Answer['verdict']>): string =>
  `risk: ${risk}; authorization by the user: ${authorization}`;

/** Sentences on why a call was declined. An overruled reviewer's rationale is left out: it argues for the call. */
function reviewReasons({ verdict, note }: Pick<Answer, 'verdict' | 'note'>): readonly string[] {
  const said = verdict?.overruled === true ? [note] : [verdict?.rationale, note];
  return said.flatMap((text) => (text === undefined ? [] : endWithFullStop(text)));
}

/** Capstan's notes to the model about reviews. If there is no verdict, the note says what to do next. */

export const reviewTimedOutText = (seconds: number): string =>
  `The review was not done within ${seconds} seconds. You may try the same call once more, or tell the user what is needed.`;
export const reviewFailedText = (why: string): string =>
  `The review failed: ${endWithFullStop(why)} Do without the action, or tell the user what is needed.`;
export const tooLongToReview =
  'The action is too long for the reviewer to see all of it. Make it shorter or split it, or tell the user what is needed.';
export const reviewerMayNotAllowText = 'A reviewer may not allow an action of that risk here; only the user can.';
export const tooManyDenialsText = 'The reviewer has declined too many calls of this turn.';

/** The refusing party and its reasons. `what`: what approval would have done, worded to follow "did not". */
function declinedWords(answer: Answer, what: string): string {
  const { by, note, verdict } = answer;
  if (by === 'default') return `no answer was prepared that would ${what}.`;
  if (by === 'client') return `no answer of the user came that would ${what}. ${note ?? clientSilence.unreadable}`;
  if (by === 'hook') return `a hook of the user did not ${what}.${note === undefined ? '' : ` It says: ${note}`}`;
  if (by !== 'review') return withUserComment(`the user did not ${what}.`, note);
  const reasons = reviewReasons(answer);
  if (verdict === undefined) return [`no review was finished that would ${what}.`, ...reasons].join(' ');
  const judged = `(${reviewJudgement(verdict)})`;
  const said =
    verdict.overruled === true
      ? `Capstan did not ${what}, although the reviewer would have ${judged}.`
      : `the reviewer did not ${what} ${judged}.`;
  return [said, ...reasons].join(' ');
}

export type AnsweredHost = { readonly host: RequestedHost; readonly answer: Answer };

/** One sentence per answer, placed before the command's output. */
export function hostAnswersText(answered: readonly AnsweredHost[]): readonly string[] {
  const places = new Map<string, string[]>();
  for (const { host, answer } of answered) {
    const said = saidOf(answer);
    places.set(said, [...(places.get(said) ?? []), hostAtPort(host.name, host.port)]);
  }
  return [...places].map(([said, hosts]) => `The command waited to connect to ${hosts.join(', ')}, and ${said}`);
}

function saidOf(answer: Answer): string {
  if (answer.kind === 'allowed') return withUserComment('the user allowed that.', answer.note);
  return answer.kind === 'lapsed' ? 'there was no answer.' : declinedWords(answer, 'allow that');
}

export interface AskedRetry {
  /** Absent: an earlier answer covers it, and no question was asked. */
  readonly answer?: Answer;
}

type RetryWhere = AskedRetry & { readonly where: string };
const stopped = 'The sandbox stopped this command, and';

/** Says that the command ran again: the output after this text is from the second run. */
export function ranAgainText({ answer, where }: RetryWhere): string {
  const who = answer?.by === 'review' ? 'the reviewer' : answer?.by === 'hook' ? 'a hook of the user' : 'the user';
  const allowed = answer === undefined ? `allowed it ${where} for this session` : `let it run again ${where}`;
  const words = answer?.by === undefined ? answer?.note : undefined;
  return withUserComment(`${stopped} ${who} ${allowed}. This is the second run.`, words);
}

/** Says why the command did not run again: the output after this text is from its only run. */
export function notRunAgainText({ answer = { kind: 'declined' }, where }: RetryWhere): string {
  if (answer.kind === 'lapsed')
    return `${stopped} the turn was interrupted before there was an answer whether it may run again.`;
  return `${stopped} ${declinedWords(answer, `let it run again ${where}`)}`;
}
