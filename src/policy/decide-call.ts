import { needsSandbox } from './access.ts';
import type { CallNeeds } from './approval.ts';
import type { CallDecision, DecisionContext } from './call-decision.ts';
import { decideClientTool } from './decide-client-tool.ts';
import { decideCommand } from './decide-command.ts';
import { decideInput } from './decide-input.ts';
import { decideMcp } from './decide-mcp.ts';
import { decidePatch } from './decide-patch.ts';
import { decideRemote } from './decide-remote.ts';
import { decideRequest } from './decide-request.ts';

/** Whether a call runs, and where. Tools do not ask this: what they declare is decided here, before they run. */
export function decideCall(context: DecisionContext, needs: CallNeeds): CallDecision {
  if (needs.remote !== undefined) return decideRemote(context, needs.remote);
  if (needs.mcp !== undefined) return decideMcp(context, needs.mcp);
  if (needs.request !== undefined) return decideRequest(context, needs.request, needs);
  if (needs.input !== undefined) return decideInput(context, needs.input);
  if (needs.client !== undefined) return decideClientTool(context, needs.client);
  switch (needs.effect) {
    case 'program':
      return decideCommand(context, needs);
    case 'files':
      return decidePatch(context, needs);
    default:
      return { kind: 'run', where: 'sandbox' };
  }
}

/**
 * Whether the decision depends on what is in the command. Where it does not, no parser need be loaded. `maybeDangerous`:
 * whether a quick look could not rule out danger.
 */
export function dependsOnAnalysis(
  { approval, rules, canAsk, policy }: Pick<DecisionContext, 'approval' | 'rules' | 'canAsk' | 'policy'>,
  { effect, argv, escalation }: CallNeeds,
  { maybeDangerous }: { readonly maybeDangerous: boolean },
): boolean {
  if (effect !== 'program' || argv === undefined) return false;
  if (maybeDangerous || rules.prefixes.length > 0 || approval === 'untrusted') return true;
  return escalation !== undefined && canAsk && needsSandbox(policy);
}
