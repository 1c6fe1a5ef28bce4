import {
  beyondReviewer,
  reviewFailed,
  reviewTimedOut,
  tooLongToReview,
  tooManyDenials,
} from '../../fragments/answers/review-answers.ts';
import { isBroken, withReview } from '../../policy/review/breaker.ts';
import { decideReview } from '../../policy/review/decide-review.ts';
import { beforeAbort } from '../../protocol/before-abort.ts';
import { defined } from '../../protocol/defined.ts';
import { errorWords } from '../../protocol/error-words.ts';
import { Fault, type Outcome } from '../../protocol/outcome.ts';
import type { Answer, Question } from '../../protocol/question.ts';
import { askReviewer, type Reviewed, type ReviewPlace } from './ask-reviewer.ts';

/**
 * The reviewer's answer to a question. Whatever goes wrong, the call does not run: a review that takes too long or
 * fails declines it. What a reviewer cannot be shown whole is the user's to decide. Reviews of one turn are made one after another, so that the record of each stands for itself.
 */
export async function reviewCall(place: ReviewPlace, question: Question, signal: AbortSignal): Promise<Answer> {
  const { memory } = place.turn;
  const { promise, resolve } = Promise.withResolvers<void>();
  const before = memory.reviews.running;
  memory.reviews.running = promise;
  try {
    await beforeAbort(before, signal, undefined);
    if (signal.aborted) return { kind: 'lapsed' };
    const reviewed = await askReviewer(place, question, signal).catch(asFailure);
    const { askUser } = place.turn.parts;
    if (reviewed.kind === 'too-long' && askUser !== undefined) return await askUser.ask(question, signal, place.item);
    return answerOf(place, question, reviewed);
  } finally {
    resolve();
  }
}

function asFailure(error: unknown): Reviewed {
  if (error instanceof Fault) throw error;
  return { kind: 'failed', why: errorWords(error) };
}

function answerOf({ turn }: ReviewPlace, question: Question, reviewed: Reviewed): Answer {
  switch (reviewed.kind) {
    case 'aborted':
      return { kind: 'lapsed' };
    case 'timed-out':
      return { kind: 'declined', note: reviewTimedOut(reviewed.seconds), by: 'review' };
    case 'failed':
      return { kind: 'declined', note: reviewFailed(reviewed.why), by: 'review' };
    case 'too-long':
      return { kind: 'declined', note: tooLongToReview, by: 'review' };
    case 'verdict': {
      const { verdict } = reviewed;
      const { outcome: _outcome, ...judged } = verdict;
      const decision = decideReview(verdict, question);
      const said = { ...judged, ...(decision === 'beyond' ? { overruled: true as const } : {}) };
      const kind = decision === 'allowed' ? 'allowed' : 'declined';
      const { reviews } = turn.memory;
      reviews.history = withReview(reviews.history, kind);
      if (kind === 'allowed') return { kind, by: 'review', verdict: said };
      if (!isBroken(reviews.history)) {
        const note = decision === 'beyond' ? beyondReviewer : undefined;
        return { kind, ...defined({ note }), by: 'review', verdict: said };
      }
      turn.log.tell({ kind: 'warning', outcome: reviewStopped });
      return { kind: 'stopped', note: tooManyDenials, by: 'review', verdict: said };
    }
  }
}

const reviewStopped: Outcome<'review-stopped'> = {
  code: 'review-stopped',
  message: 'The reviewer declined too many calls of this turn, so Capstan ended it.',
  next: 'The thread shows its reasons. Tell the model what it may do, or set approvals_reviewer to "user".',
};
