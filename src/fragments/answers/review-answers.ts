import type { Answer } from '../../protocol/question.ts';
import { sentence } from '../../protocol/outcome.ts';

/** What the model reads when a reviewer did not let a call run. */
export function refusedByReview(answer: Answer): string {
  const { kind, verdict } = answer;
  // Of a yes that does not count, the reasons would mislead.
  const isBeyond = answer.note === beyondReviewer;
  const who = isBeyond ? 'only the user can allow an action of this risk' : 'the reviewer declined it';
  const head = `Not run: ${verdict === undefined ? 'it was not approved' : `${who} (${judgement(verdict)})`}.`;
  const said = isBeyond ? [] : reasons(answer);
  const next =
    kind === 'stopped'
      ? 'The turn ends here.'
      : 'Do not try to reach the same in another way. Choose a materially safer one, or tell the user what is needed.';
  return [head, ...said, next].join(' ');
}

/** The same after a sentence that says what did not happen. */
export function reviewNote(answer: Answer): string {
  const { verdict } = answer;
  const judged = verdict === undefined ? '' : ` (${judgement(verdict)})`;
  return [`A reviewer decides in the user's place${judged}.`, ...reasons(answer)].join(' ');
}

function judgement({ risk, authorization }: NonNullable<Answer['verdict']>): string {
  return `risk: ${risk}; authorization by the user: ${authorization}`;
}

function reasons({ verdict, note }: Answer): readonly string[] {
  return [verdict?.rationale, note].flatMap((text) => (text === undefined ? [] : sentence(text)));
}

/** Notes of a reviewer's answer, for the model. */

export function reviewTimedOut(seconds: number): string {
  return `The review was not done within ${seconds} seconds. You may try the same call once more, or ask the user.`;
}

export function reviewFailed(why: string): string {
  return `The review failed: ${sentence(why)}`;
}

/** The verdict was more than a reviewer may decide. */
export const beyondReviewer = 'A reviewer may not allow an action of that risk here; only the user can.';

export const tooManyDenials = 'The reviewer has declined too many calls of this turn.';
