import { needsSandbox } from './access.ts';
import type { CallNeeds } from './approval.ts';
import { type CallDecision, canAskAbout, type DecisionContext, whyNotAsked } from './call-decision.ts';
import { coversAll, toolKey } from './grants.ts';

/**
 * A call that is done elsewhere, where no sandbox holds it. What only reads runs. Anything else is asked about, unless
 * the turn has no sandbox and its policy lets commands run without a question.
 */
export function decideRemote(
  context: DecisionContext,
  { tool, reads }: NonNullable<CallNeeds['remote']>,
): CallDecision {
  const { approval, policy, grants } = context;
  const run = { kind: 'run', where: 'sandbox' } as const;
  const isFree = !needsSandbox(policy) && approval !== 'untrusted';
  const grantKeys = [toolKey(tool)];
  if (reads === true || isFree || coversAll(grants, grantKeys)) return run;
  const reason = `The tool ${JSON.stringify(tool)} acts outside the sandbox.`;
  if (!canAskAbout(context, 'sandbox')) {
    const why = `the tool ${JSON.stringify(tool)} acts outside the sandbox, and ${whyNotAsked(context, 'sandbox')}`;
    return { kind: 'refuse', why, next: 'Do without it, or tell the user what is needed.' };
  }
  return { kind: 'ask', question: { kind: 'tool', reason, scopes: ['call', 'session'] }, where: 'sandbox', grantKeys };
}
