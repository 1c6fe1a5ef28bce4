import type { CallResult, PreparedCall, RefusedCall } from '../../../adapters/tools/tool.ts';
import { defined } from '../../../base/objects.ts';
import type { Step } from '../../../core/envelope/envelope.ts';
import {
  endedCommandText,
  blockedByHookText,
  brokenByHookText,
  changedByHookText,
  rejectedByHookText,
} from '../../../core/fragments/answers/refusals.ts';
import { interruptedBeforeRunning } from '../../../core/fragments/answers/tool-calls.ts';
import type { AskDecision } from '../../../core/policy/decide/call-decision.ts';
import { isHeldByManagedRules } from '../../../core/policy/decide/decide-call.ts';
import type { RecordedSession } from '../../../core/state/fold/running-calls.ts';
import {
  callAfterHooks,
  callInput,
  truncateWord,
  shownCallInput,
} from '../../../core/state/questions/call-arguments.ts';
import type { HookResults } from '../../../core/state/questions/call-arguments.ts';
import type { CallItem } from '../../../protocol/item.ts';
import { arrayAt, isJsonObject, parseJsonObject, stringAt } from '../../../protocol/json.ts';
import type { Json, JsonObject } from '../../../protocol/json.ts';
import type { Answer, Question } from '../../../protocol/question.ts';
import { findCall, mcpCallOf } from '../calls/calls.ts';
import type { Turn } from '../thread-parts.ts';
import { flushToSubscribers, keepHookTexts, runHooks } from './run-hooks.ts';

export interface CallAfterHooks {
  readonly kind: 'prepared';
  readonly call: CallItem;
  readonly prepared: PreparedCall;
  /** The policy decides how much a hook's opinion counts. */
  readonly hook?: 'allow' | 'ask';
  /** For the model, before the result. */
  readonly note?: string;
}

/** Asks hooks about a prepared call. One that they change is prepared again; the model's own item stays unchanged. */
export async function runHooksBeforeCall(
  turn: Turn,
  step: Step,
  { call, prepared }: CallAfterHooks,
): Promise<CallAfterHooks | RefusedCall> {
  keepSaid(turn, call, {});
  const { names, input } = hookedCall(call, mcpCallOf(prepared.item));
  // Nothing is typed: hooks were asked about the command when it was started.
  if (call.name === 'write_stdin' && input['command'] === '') return { kind: 'prepared', call, prepared };
  const [name = call.name] = names;
  const about = { tool_name: name, tool_input: input, tool_use_id: call.call_id };
  const verdict = await runHooks(turn, { event: 'PreToolUse', subjects: names, about });
  keepHookTexts(turn, verdict, call.call_id);
  const { blocked, decision, updatedInput, contexts } = verdict;
  if (blocked !== undefined) {
    const command = name === 'Bash' ? stringAt(input, 'command') : undefined;
    return { kind: 'refused', output: blockedByHookText(blocked, { tool: name, command }) };
  }
  // Hooks that were aborted gave no opinion: the call must not run without them.
  if (turn.signal.aborted) return { kind: 'refused', output: interruptedBeforeRunning };
  const said = {
    ...(decision === 'ask' && { asks: true as const }),
    ...(contexts.length > 0 && { texts: contexts.map(({ text }) => text) }),
  };
  if (updatedInput === undefined) {
    keepSaid(turn, call, said);
    return { kind: 'prepared', call, prepared, hook: decision };
  }
  const changed = changedCall(call, updatedInput);
  if (typeof changed === 'string') return { kind: 'refused', output: brokenByHookText(changed) };
  const again = await turn.parts.router.prepare(changed, step);
  if (again.kind === 'refused') return { ...again, output: brokenByHookText(again.output) };
  keepSaid(turn, call, { input: callInput(changed), ...said });
  // If hooks change a call and allow it, only the change counts: the policy decides about the changed call.
  const hook = decision === 'ask' ? decision : undefined;
  return { kind: 'prepared', call: changed, prepared: again, note: changedByHookText(shownCallInput(changed)), hook };
}

/** Keeps the hooks' results for the lines of questions about the call: a process that continues the turn needs them. */
function keepSaid({ memory }: Turn, { call_id: callId }: CallItem, said: HookResults): void {
  if (Object.keys(said).length === 0) memory.hookedCalls.delete(callId);
  else memory.hookedCalls.set(callId, said);
}

/** Asks hooks about the result of a call. For a command that still runs, they are asked when it has ended. */
export async function runHooksAfterCall<End extends CallResult>(turn: Turn, given: CallItem, end: End): Promise<End> {
  const call = callThatEnded(turn, given, end);
  if (call === undefined) return end;
  const { names, input } = hookedCall(call, mcpCallOf(end.item));
  const [name = call.name] = names;
  const about = { tool_name: name, tool_input: input, tool_use_id: call.call_id, tool_response: responseOf(end) };
  const verdict = await runHooks(turn, { event: 'PostToolUse', subjects: names, about });
  const { blocked, stopped, updatedOutput, contexts } = verdict;
  // A verdict on a command that ran on appears beside another call, so it names the command.
  const said = (text: string): string => endedCommandText(stringAt(input, 'command') ?? '', text);
  const named = contexts.map(({ key, text }) => ({ key, text: call === given ? text : said(text) }));
  keepHookTexts(turn, { ...verdict, contexts: named }, call.call_id);
  const exitCode = end.item.kind === 'command' ? end.item.exitCode : undefined;
  if (blocked !== undefined) return replaced(end, rejectedByHookText(blocked, exitCode), 'failed');
  if (stopped !== undefined) return replaced(end, rejectedByHookText(stopped, exitCode), 'kept');
  return updatedOutput === undefined ? end : replaced(end, updatedOutput, 'kept');
}

/** For a command its output; for a server's tool the server's response; otherwise what the model would read. */
function responseOf({ item, output, dropped = [] }: CallResult): Json {
  if (item.kind === 'command') return item.output;
  if (item.kind !== 'tool-call') return output;
  if (item.result === undefined)
    return item.server !== undefined || dropped.length > 0 ? (item.output ?? output) : output;
  const { content, structured } = item.result;
  return { content, ...(structured === null ? {} : { structuredContent: structured }) };
}

/** Replaces the output. The real one is stored outside the line, as the full output. */
function replaced<Result extends CallResult>(end: Result, output: string, status: 'failed' | 'kept'): Result {
  const whole = end.fullOutput ?? (typeof end.output === 'string' ? end.output : JSON.stringify(end.output));
  const item = status === 'failed' && 'status' in end.item ? { ...end.item, status } : end.item;
  return { ...end, output, fullOutput: whole, item: item as CallResult['item'] };
}

/** The tool's name for hooks first, then others that matchers may use. */
const namesForHooks: Readonly<Record<string, readonly string[]>> = {
  exec_command: ['Bash'],
  // Input typed into a shell is a command like any other.
  write_stdin: ['write_stdin', 'Bash'],
  apply_patch: ['apply_patch', 'Write', 'Edit'],
  edit_file: ['edit_file', 'Write', 'Edit'],
  read_file: ['read_file', 'Read'],
  search: ['search', 'Grep', 'Glob'],
  spawn_agent: ['spawn_agent', 'Agent'],
};

/** `mcp`: the server's tool, by whichever name the model called it. */
function hookedCall(call: CallItem, mcp: McpToolName | undefined) {
  const given = argumentsOf(call);
  const input = isDeferred(call) ? innerOf(given) : inputForHooks(call, given);
  if (mcp !== undefined) {
    const names = new Set([`mcp__${mcp.server}__${mcp.tool}`, ...reachedBy(call)]);
    return { names: [...names], input: isDeferred(call) ? input : given };
  }
  const own = Object.hasOwn(namesForHooks, call.name) ? namesForHooks[call.name] : undefined;
  return { names: own ?? reachedBy(call), input };
}

function inputForHooks(call: CallItem, given: JsonObject): JsonObject {
  if (call.name === 'exec_command') return { command: stringAt(given, 'cmd') ?? '', ...picked(given, besideCommand) };
  if (call.name === 'write_stdin') return { command: stringAt(given, 'chars') ?? '', ...picked(given, ['session_id']) };
  return call.name === 'apply_patch' ? { command: patchOf(call) } : given;
}

/** Fields that decide what a command can do, besides its words. Hooks read and change them under these names. */
const besideCommand = [
  'workdir',
  'stdin',
  'tty',
  'sandbox_permissions',
  'additional_permissions',
  'justification',
  'prefix_rule',
] as const;

const picked = (given: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])));

function changedCall(call: CallItem, input: JsonObject): CallItem | string {
  const isNamed = ['exec_command', 'write_stdin', 'apply_patch'].includes(call.name);
  const command = stringAt(input, 'command');
  if (isNamed && command === undefined) return 'updatedInput has no `command`.';
  if (call.type === 'custom_tool_call') return { ...call, input: command ?? JSON.stringify(input) };
  const own = {
    exec_command: { ...picked(input, besideCommand), cmd: command },
    write_stdin: { chars: command },
    apply_patch: { input: command },
    [deferredCall]: { arguments: input },
  }[call.name];
  const given = own === undefined ? input : { ...argumentsOf(call), ...own };
  return { ...call, arguments: JSON.stringify(given) };
}

const argumentsOf = (call: CallItem): JsonObject =>
  (call.type === 'function_call' ? parseJsonObject(call.arguments) : undefined) ?? {};

const patchOf = (call: CallItem): string =>
  call.type === 'custom_tool_call' ? call.input : (stringAt(argumentsOf(call), 'input') ?? call.arguments);

const deferredCall = 'call_tool';
type McpToolName = Pick<NonNullable<Question['mcp']>, 'server' | 'tool'>;
const isDeferred = ({ name }: CallItem): boolean => name === deferredCall;

function reachedBy(call: CallItem): readonly string[] {
  const inner = isDeferred(call) ? stringAt(argumentsOf(call), 'name') : undefined;
  return inner === undefined ? [call.name] : [inner, call.name];
}

/** Some models write the arguments as text. */
const innerOf = ({ arguments: inner }: JsonObject): JsonObject =>
  (typeof inner === 'string' ? parseJsonObject(inner) : isJsonObject(inner) ? inner : undefined) ?? {};

/** The call that ends with this result: for a command that ran on, the one that started it. */
function callThatEnded(turn: Turn, call: CallItem, { session, dropped = [] }: CallResult): CallItem | undefined {
  if (session !== undefined) return undefined;
  if (call.name !== 'write_stdin') return call;
  const id = call.type === 'function_call' ? parseJsonObject(call.arguments)?.['session_id'] : undefined;
  if (!dropped.some((each) => each.id === id)) return undefined;
  const { sessions, history } = turn.log.state;
  const ended = sessions.find((each) => each.id === id);
  return ended && startedWith(ended, findCall(history, ended.callId));
}

/** The session records the command, but with long words cut. They are whole in the call, if history still has it. */
function startedWith({ item, callId }: RecordedSession, started: CallItem | undefined): CallItem {
  const ran = arrayAt(item, 'command')?.at(-1);
  const given = started?.type === 'function_call' ? parseJsonObject(started.arguments) : undefined;
  const whole = stringAt(given, 'cmd');
  const cmd = whole !== undefined && truncateWord(whole) === ran ? whole : typeof ran === 'string' ? ran : '';
  return { type: 'function_call', call_id: callId, name: 'exec_command', arguments: JSON.stringify({ cmd }) };
}

/** Hooks' answer to a question about a call. Undefined: they leave it to the user. `byUser`: hooks may only refuse. */
export async function answerByHooks(
  turn: Turn,
  question: Question,
  { signal, byUser }: { readonly signal: AbortSignal } & Pick<AskDecision, 'byUser'>,
): Promise<Answer | undefined> {
  const { log, memory, parts } = turn;
  const { callId } = question;
  // A server's request for information is no matter of permission.
  if (question.kind === 'elicitation') return undefined;
  const call = findCall(log.state.history, callId);
  if (call === undefined) return undefined;
  const { names, input } = hookedCall(callAfterHooks(call, memory.hookedCalls.get(callId)), question.mcp);
  const about = { tool_name: names[0] ?? call.name, tool_input: input };
  const verdict = await runHooks(turn, { event: 'PermissionRequest', subjects: names, about, signal });
  flushToSubscribers(turn);
  if (verdict.blocked !== undefined) return { kind: 'declined', note: verdict.blocked, by: 'hook' };
  const mayChange = turn.envelope.policy.changesNothing === undefined;
  if (verdict.decision !== 'allow' || byUser === true || !mayChange) return undefined;
  const seen = [...(question.commands ?? []), ...(question.seen ?? []), question.argv ?? []];
  if (question.argv !== undefined && isHeldByManagedRules(parts.requirements.rules, seen)) return undefined;
  return { kind: 'allowed', by: 'hook', ...defined({ note: verdict.decisionReason }) };
}
