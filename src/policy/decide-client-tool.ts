import type { CallNeeds } from './approval.ts';
import type { CallDecision, DecisionContext } from './call-decision.ts';

/**
 * A tool of the client runs at the client, which is free to refuse: the approval policy has no say, and neither has a
 * reviewer. The call waits for the client's result as for an answer.
 */
export function decideClientTool(
  { hasUser }: Pick<DecisionContext, 'hasUser'>,
  client: NonNullable<CallNeeds['client']>,
): CallDecision {
  if (hasUser !== true) {
    const why = 'the tool belongs to a client that is not connected.';
    return { kind: 'refuse', why, next: 'Do without it, or tell the user what is needed.' };
  }
  return { kind: 'ask', question: { kind: 'client-tool', client, scopes: ['call'] }, where: 'sandbox', grantKeys: [] };
}
