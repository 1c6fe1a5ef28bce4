import type { UserQuestion } from '../protocol/user-question.ts';
import type { CallDecision, DecisionContext } from './call-decision.ts';

/**
 * What the model wants to know grants nothing, so the approval policy has no say. Only the user can answer it: what a
 * reviewer would say is what the model could say itself.
 */
export function decideInput({ hasUser }: DecisionContext, input: readonly UserQuestion[]): CallDecision {
  if (hasUser !== true) {
    const why = 'the user cannot be asked in this run.';
    return { kind: 'refuse', why, next: 'Decide yourself, and say in your answer what you assumed.' };
  }
  return { kind: 'ask', question: { kind: 'input', input, scopes: ['call'] }, where: 'sandbox', grantKeys: [] };
}
