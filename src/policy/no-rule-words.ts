import type { CallNeeds } from './approval.ts';
import type { DecisionContext } from './call-decision.ts';
import type { Judged } from './judge-commands.ts';
import { offeredPrefix } from './offered-prefix.ts';

/**
 * Why the user cannot save a rule where one would be offered otherwise, for the question: a variable lets no program
 * leave by a rule. Undefined: that is not the reason.
 */
export function noRuleWords(
  context: Pick<DecisionContext, 'rules' | 'ground'>,
  judged: Judged,
  needs: Pick<CallNeeds, 'escalation' | 'typed'>,
): string | undefined {
  const variable = context.ground?.openVariable;
  if (variable === undefined || offeredPrefix(context, judged, needs) !== undefined) return undefined;
  if (offeredPrefix(context, { ...judged, isLooked: false }, needs) === undefined) return undefined;
  return `No rule can be saved: the variable ${variable} has programs load code from where commands can write.`;
}
