import type { Outcome } from '../protocol/outcome.ts';
import type { Answer } from '../protocol/question.ts';
import { answerProblem, readGivenAnswer } from '../state/question-fields.ts';
import { isAnswered, pendingQuestions } from '../state/questions.ts';
import type { ThreadState } from '../state/thread-state.ts';
import type { OpenQuestions } from './parts/open-questions.ts';

/** Whether an answer of a caller counts. */
export type Answered = { readonly kind: 'answered' } | { readonly kind: 'refused'; readonly outcome: Outcome };

interface AskingThread {
  readonly questions: OpenQuestions;
  /** As it is by now. */
  readonly log: { readonly state: ThreadState };
  /** Whether a turn runs, or is about to: it comes to the questions that wait. */
  readonly runs: boolean;
}

/** Resolves when the answer is durable. */
export async function answerQuestion(
  { questions, log, runs }: AskingThread,
  id: string,
  given: Answer,
): Promise<Answered> {
  const answer = readGivenAnswer(given);
  if (answer === undefined) return { kind: 'refused', outcome: answerProblem(given) };
  const isPending = pendingQuestions(log.state).some((question) => question.id === id);
  if (await questions.answer(id, answer, { isExpected: isPending && runs })) return { kind: 'answered' };
  return { kind: 'refused', outcome: isAnswered(log.state, id) ? answeredBefore(id) : notAsked(id) };
}

function notAsked(id: string): Outcome<'question-unknown'> {
  return {
    code: 'question-unknown',
    message: `No running turn waits for an answer to the question ${JSON.stringify(id)}.`,
    next: 'See `thread.questions`. For a suspended turn, use `engine.answer`, or continue it before you answer.',
  };
}

function answeredBefore(id: string): Outcome<'question-answered'> {
  return {
    code: 'question-answered',
    message: `The question ${JSON.stringify(id)} has been answered already, or has lapsed.`,
    next: 'This answer does not count. See `thread.questions` for what waits.',
  };
}
