import type { Answer, Question } from '../protocol/question.ts';
import type { TurnItem } from '../protocol/turn-item.ts';

/**
 * Puts questions to the user, one at a time for each step of a turn. When the signal aborts, the answer counts no more.
 * If it throws, or answers in a form that is not known, the call is declined, and not in the name of the user.
 */
export interface AskUser {
  /** Its answers are for the call alone: it saves no rule, so the model is not invited to propose one. */
  readonly answersOnce?: true;
  /** `item`: the call as screens show it, with the diff of a patch. Absent: the question has what is known of it. */
  ask(question: Question, signal: AbortSignal, item?: TurnItem): Promise<Answer>;
  /** Says at once, when a turn begins, if a person can be asked: anything but `true` counts as no. Absent: one can. */
  isThere?(): boolean;
}
