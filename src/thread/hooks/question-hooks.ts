import { entries } from '../../history/history.ts';
import type { AskDecision } from '../../policy/call-decision.ts';
import { isHeldByRules } from '../../policy/decide-under-hook.ts';
import { defined } from '../../protocol/defined.ts';
import { isCall } from '../../protocol/item.ts';
import type { Answer, Question } from '../../protocol/question.ts';
import { asHooksLeft } from '../../state/said-by-hooks.ts';
import type { Turn } from '../parts/parts.ts';
import { hookedCall } from './hooked-call.ts';
import { runHooks, showNow } from './run-hooks.ts';

/**
 * What hooks answer to a question about a call, before anyone else is asked. Undefined: they leave it to the user.
 * `byUser`: only their no counts.
 */
export async function answerByHooks(
  turn: Turn,
  question: Question,
  { signal, byUser }: { readonly signal: AbortSignal } & Pick<AskDecision, 'byUser'>,
): Promise<Answer | undefined> {
  const { log, memory, parts } = turn;
  const { callId } = question;
  // What a server wants to know is no matter of permission.
  if (question.kind === 'elicitation') return undefined;
  const call = entries(log.state.history).findLast(({ item }) => isCall(item) && item.call_id === callId)?.item;
  if (call === undefined || !isCall(call)) return undefined;
  const { names, input } = hookedCall(asHooksLeft(call, memory.hookedCalls.get(callId)), question.mcp);
  const about = { tool_name: names[0] ?? call.name, tool_input: input };
  const verdict = await runHooks(turn, { event: 'PermissionRequest', subjects: names, about, signal });
  showNow(turn);
  if (verdict.blocked !== undefined) return { kind: 'declined', note: verdict.blocked, by: 'hook' };
  const mayChange = turn.envelope.policy.changesNothing === undefined;
  if (verdict.decision !== 'allow' || byUser === true || !mayChange) return undefined;
  const seen = [...(question.commands ?? []), ...(question.seen ?? []), question.argv ?? []];
  if (question.argv !== undefined && isHeldByRules(parts.requirements.rules, seen)) return undefined;
  return { kind: 'allowed', by: 'hook', ...defined({ note: verdict.decisionReason }) };
}
