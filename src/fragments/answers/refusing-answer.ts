import type { Answer } from '../../protocol/question.ts';
import { declined, lapsed, noPreparedAnswer, stoppedByUser } from './call-answers.ts';
import { refusedByReview } from './review-answers.ts';

/** What the model reads of a call that an answer did not let run, also in a later process. */
export function textOfRefusal(answer: Answer): string {
  const { kind, note, by } = answer;
  if (by === 'review') return refusedByReview(answer);
  if (kind === 'lapsed') return lapsed;
  if (by === 'default') return noPreparedAnswer;
  return kind === 'stopped' ? stoppedByUser(note) : declined(note);
}
