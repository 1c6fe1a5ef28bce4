import type { Step } from '../../envelope/step.ts';
import { interruptedBefore } from '../../fragments/answers/call-answers.ts';
import {
  aboutEndedCommand,
  blockedByHook,
  brokenByHook,
  changedByHook,
  stoppedByHook,
} from '../../fragments/answers/hook-answers.ts';
import type { HookVerdict } from '../../ports/hooks.ts';
import { defined } from '../../protocol/defined.ts';
import type { CallItem } from '../../protocol/item.ts';
import { type Json, type JsonObject, stringAt } from '../../protocol/json.ts';
import type { ToolCallItem } from '../../protocol/turn-item.ts';
import { inputOfCall, type SaidByHooks, shownInputOf } from '../../state/said-by-hooks.ts';
import type { CallResult, PreparedCall, RefusedCall } from '../../tools/define.ts';
import type { Turn } from '../parts/parts.ts';
import { changedCall, hookedCall, mcpToolOf } from './hooked-call.ts';
import { callThatEnded } from './hooked-session.ts';
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
  keepSaid(turn, call, {});
  const { names, input } = hookedCall(call, mcpToolOf(prepared.item));
  // Nothing is typed: hooks were asked about the command when it was started.
  if (call.name === 'write_stdin' && input['command'] === '') return { kind: 'prepared', call, prepared };
  const [name = call.name] = names;
  const about = { tool_name: name, tool_input: input, tool_use_id: call.call_id };
  const verdict = await runHooks(turn, { event: 'PreToolUse', subjects: names, about });
  keepTexts(turn, verdict, call.call_id);
  const { blocked, decision, updatedInput, contexts } = verdict;
  if (blocked !== undefined) {
    const command = name === 'Bash' && typeof input['command'] === 'string' ? input['command'] : undefined;
    return { kind: 'refused', output: blockedByHook(blocked, { tool: name, ...defined({ command }) }) };
  }
  // Hooks that were ended had no say: the call must not run without them.
  if (turn.signal.aborted) return { kind: 'refused', output: interruptedBefore };
  const said = {
    ...(decision === 'ask' && { asks: true as const }),
    ...(contexts.length > 0 && { texts: contexts.map(({ text }) => text) }),
  };
  if (updatedInput === undefined) {
    keepSaid(turn, call, said);
    return { kind: 'prepared', call, prepared, ...defined({ hook: decision }) };
  }
  const changed = changedCall(call, updatedInput);
  if (typeof changed === 'string') return { kind: 'refused', output: brokenByHook(changed) };
  const again = await turn.parts.router.prepare(changed, step);
  if (again.kind === 'refused') return { ...again, output: brokenByHook(again.output) };
  keepSaid(turn, call, { input: inputOfCall(changed), ...said });
  // A yes beside a change is only how the change is said: the policy decides about what the call has become.
  const hook = decision === 'ask' ? decision : undefined;
  return {
    kind: 'prepared',
    call: changed,
    prepared: again,
    note: changedByHook(shownInputOf(changed)),
    ...defined({ hook }),
  };
}

/** For questions about the call: their lines say it, for a process that continues the turn. */
function keepSaid({ memory }: Turn, { call_id: callId }: CallItem, said: SaidByHooks): void {
  if (Object.keys(said).length === 0) memory.hookedCalls.delete(callId);
  else memory.hookedCalls.set(callId, said);
}

/** Asks hooks about what a call gave. Of a command that runs on they are asked when it has ended. */
export async function afterCall<Result extends CallResult>(turn: Turn, given: CallItem, end: Result): Promise<Result> {
  const call = callThatEnded(turn, given, end);
  if (call === undefined) return end;
  const { names, input } = hookedCall(call, mcpToolOf(end.item));
  const [name = call.name] = names;
  const response = responseOf(end);
  const about = { tool_name: name, tool_input: input, tool_use_id: call.call_id, tool_response: response };
  const verdict = await runHooks(turn, { event: 'PostToolUse', subjects: names, about });
  const said = call === given ? verdict : withCommand(verdict, stringAt(input, 'command') ?? '');
  keepTexts(turn, said, call.call_id);
  const { blocked, stopped, updatedOutput } = verdict;
  const exitCode = end.item.kind === 'command' ? end.item.exitCode : undefined;
  if (blocked !== undefined) return replaced(end, stoppedByHook(blocked, exitCode), 'failed');
  if (stopped !== undefined) return replaced(end, stoppedByHook(stopped, exitCode), 'kept');
  return updatedOutput === undefined ? end : replaced(end, updatedOutput, 'kept');
}

/** What hooks say about a command that ran on stands beside another call, so it names the command. */
function withCommand(verdict: HookVerdict, command: string): HookVerdict {
  return {
    ...verdict,
    contexts: verdict.contexts.map(({ key, text }) => ({ key, text: aboutEndedCommand(command, text) })),
  };
}

/** Of a command, what it printed; of a server's tool, what the server gave; of all others what the model would read. */
function responseOf({ item, output, dropped = [] }: CallResult): Json {
  if (item.kind === 'command') return item.output;
  if (item.kind === 'tool-call' && item.result !== undefined) return rawResult(item.result);
  if (item.kind === 'tool-call' && item.server !== undefined) return item.output ?? output;
  return item.kind === 'tool-call' && dropped.length > 0 ? (item.output ?? output) : output;
}

function rawResult({ content, structured }: NonNullable<ToolCallItem['result']>): JsonObject {
  return { content, ...(structured === null ? {} : { structuredContent: structured }) };
}

/** What the call really gave is kept beside the line. */
function replaced<Result extends CallResult>(end: Result, output: string, status: 'failed' | 'kept'): Result {
  const whole = end.fullOutput ?? (typeof end.output === 'string' ? end.output : JSON.stringify(end.output));
  const item = status === 'failed' && 'status' in end.item ? { ...end.item, status } : end.item;
  return { ...end, output, fullOutput: whole, item: item as CallResult['item'] };
}
