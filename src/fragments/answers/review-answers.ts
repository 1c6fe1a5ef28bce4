import type { Answer } from '../../protocol/question.ts';
import { sentence } from '../../protocol/outcome.ts';

/** What the model reads when a reviewer did not let a call run. */
export function refusedByReview(answer: Answer): string {
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

export function reviewJudgement({ risk, authorization }: NonNullable<Answer['verdict']>): string {
  return `risk: ${risk}; authorization by the user: ${authorization}`;
}

/** Why a call was declined, as sentences. Where the reviewer was overruled, its own reason speaks for the call. */
export function reviewReasons({ verdict, note }: Pick<Answer, 'verdict' | 'note'>): readonly string[] {
  const said = verdict?.overruled === true ? [note] : [verdict?.rationale, note];
  return said.flatMap((text) => (text === undefined ? [] : sentence(text)));
}

/** Notes of a reviewer's answer, for the model. Those without a verdict say what to do next. */

export function reviewTimedOut(seconds: number): string {
  return `The review was not done within ${seconds} seconds. You may try the same call once more, or tell the user what is needed.`;
}

export function reviewFailed(why: string): string {
  return `The review failed: ${sentence(why)} Do without the action, or tell the user what is needed.`;
}

/** No reviewer saw it. */
export const tooLongToReview =
  'The action is too long for the reviewer to see all of it. Make it shorter or split it, or tell the user what is needed.';

/** The verdict was more than a reviewer may decide. */
export const beyondReviewer = 'A reviewer may not allow an action of that risk here; only the user can.';

export const tooManyDenials = 'The reviewer has declined too many calls of this turn.';
