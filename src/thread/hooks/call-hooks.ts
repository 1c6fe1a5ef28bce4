import type { Step } from '../../envelope/step.ts';
import { blockedByHook, brokenByHook, changedByHook, stoppedByHook } from '../../fragments/answers/hook-answers.ts';
import { defined } from '../../protocol/defined.ts';
import type { CallItem } from '../../protocol/item.ts';
import type { CallResult, PreparedCall, RefusedCall } from '../../tools/define.ts';
import type { Turn } from '../parts/parts.ts';
import { changedCall, hookedCall } from './hooked-call.ts';
import { keepTexts, runHooks } from './run-hooks.ts';

/** A call as hooks leave it. */
export interface CallAfterHooks {
  readonly kind: 'prepared';
  readonly call: CallItem;
  readonly prepared: PreparedCall;
  /** What a hook says about whether it may run. The policy decides how much that counts. */
  readonly hook?: 'allow' | 'ask';
  /** For the model, before the result. */
  readonly note?: string;
}

/** Asks hooks about a call that was prepared. One that they change is prepared again; the model's own item stays as it is. */
export async function beforeCall(
  turn: Turn,
  step: Step,
  { call, prepared }: CallAfterHooks,
): Promise<CallAfterHooks | RefusedCall> {
  const { names, input } = hookedCall(call);
  const [name = call.name] = names;
  const about = { tool_name: name, tool_input: input, tool_use_id: call.call_id };
  const verdict = await runHooks(turn, { event: 'PreToolUse', subjects: names, about });
  keepTexts(turn, verdict);
  const { blocked, decision, updatedInput } = verdict;
  if (blocked !== undefined) {
    const command = name === 'Bash' && typeof input['command'] === 'string' ? input['command'] : undefined;
    return { kind: 'refused', output: blockedByHook(blocked, { tool: call.name, ...defined({ command }) }) };
  }
  const hook = decision === undefined ? {} : { hook: decision };
  if (updatedInput === undefined) return { kind: 'prepared', call, prepared, ...hook };
  const changed = changedCall(call, updatedInput);
  if (typeof changed === 'string') return { kind: 'refused', output: brokenByHook(changed) };
  const again = await turn.parts.router.prepare(changed, step);
  if (again.kind === 'refused') return { ...again, output: brokenByHook(again.output) };
  turn.memory.changedCalls.set(call.call_id, changed);
  // A yes beside a change is only how the change is said: the policy decides about what the call has become.
  const asks = decision === 'ask' ? hook : {};
  return { kind: 'prepared', call: changed, prepared: again, note: changedByHook, ...asks };
}

/** Asks hooks about what a call gave. */
export async function afterCall<Result extends CallResult>(turn: Turn, call: CallItem, end: Result): Promise<Result> {
  const { names, input } = hookedCall(call);
  const [name = call.name] = names;
  const response = end.item.kind === 'command' ? end.item.output : end.output;
  const about = { tool_name: name, tool_input: input, tool_use_id: call.call_id, tool_response: response };
  const verdict = await runHooks(turn, { event: 'PostToolUse', subjects: names, about });
  keepTexts(turn, verdict);
  const { blocked, stopped, updatedOutput } = verdict;
  if (blocked !== undefined) return replaced(end, blocked, 'failed');
  if (stopped !== undefined) return replaced(end, stoppedByHook(stopped), 'kept');
  return updatedOutput === undefined ? end : replaced(end, updatedOutput, 'kept');
}

/** What the call really gave is kept beside the line. */
function replaced<Result extends CallResult>(end: Result, output: string, status: 'failed' | 'kept'): Result {
  const whole = end.fullOutput ?? (typeof end.output === 'string' ? end.output : JSON.stringify(end.output));
  const item = status === 'failed' && 'status' in end.item ? { ...end.item, status } : end.item;
  return { ...end, output, fullOutput: whole, item: item as CallResult['item'] };
}
