import type { Answer, Question } from '../protocol/question.ts';

/** Puts questions to the user. Never rejects. When the signal aborts, the answer counts no more. */
export interface AskUser {
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
}
