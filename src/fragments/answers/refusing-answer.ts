import type { Answer } from '../../protocol/question.ts';
import { declined, lapsed, noPreparedAnswer, stoppedByUser } from './call-answers.ts';
import { unansweredTool } from './client-tool-answers.ts';
import { notAskedByClient } from './client-silence.ts';
import { declinedByHook } from './hook-answers.ts';
import { unansweredInput } from './input-answers.ts';
import { refusedByReview } from './review-answers.ts';

/** Why the question was asked, and what the model can do without it. */
export interface AskedRefusal {
  readonly why?: string;
  readonly next?: string;
  /** It asked for words, and no call waits for a permission. */
  readonly content?: 'input' | 'client-tool';
}

/** What the model reads of a call that an answer did not let run, also in a later process. */
export function textOfRefusal(answer: Answer, asked: AskedRefusal = {}): string {
  const { kind, note, by } = answer;
  if (asked.content === 'input') return unansweredInput(answer);
  if (asked.content === 'client-tool') return unansweredTool(answer);
  if (by === 'review') return refusedByReview(answer);
  if (by === 'hook') return declinedByHook(note);
  if (kind === 'lapsed') return lapsed;
  if (by === 'client') return notAskedByClient(note);
  if (by === 'default') return noPreparedAnswer(asked.why, asked.next);
  return kind === 'stopped' ? stoppedByUser(note) : declined(note);
}
