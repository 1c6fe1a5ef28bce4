import type { Outcome } from '../protocol/outcome.ts';
import type { Answer } from '../protocol/question.ts';
import { readAnswer } from '../state/question-fields.ts';
import type { OpenQuestions } from './parts/open-questions.ts';
import { notData } from './read-turn.ts';

/** Whether an answer of a caller counts. */
export type Answered = { readonly kind: 'answered' } | { readonly kind: 'refused'; readonly outcome: Outcome };

/** Resolves when the answer is durable. */
export async function answerQuestion(questions: OpenQuestions, callId: string, given: Answer): Promise<Answered> {
  const answer = readAnswer(given);
  if (answer === undefined) return { kind: 'refused', outcome: notData('The answer') };
  const recorded = questions.answer(callId, answer);
  if (recorded === undefined) return { kind: 'refused', outcome: notAsked(callId) };
  await recorded;
  return { kind: 'answered' };
}

function notAsked(callId: string): Outcome<'question-unknown'> {
  return {
    code: 'question-unknown',
    message: `No running turn waits for an answer about the call ${JSON.stringify(callId)}.`,
    next: 'See `thread.questions`. Continue a suspended turn before you answer.',
  };
}
