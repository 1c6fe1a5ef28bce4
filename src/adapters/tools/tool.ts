import type { Step } from '../../core/envelope/envelope.ts';
import type { ToolTraits } from '../../core/envelope/facts.ts';
import { ignoredArgumentsText } from '../../core/fragments/answers/tool-calls.ts';
import type { TextBudget } from '../../core/fragments/text/truncate.ts';
import type { BlockedFiles, CallNeeds } from '../../core/policy/decide/call-decision.ts';
import type { AnswerNetworkHost } from '../../ports/ask-user.ts';
import type { CommandSession, CommandSessionFate } from '../../ports/commands.ts';
import type { McpElicitation, McpElicitationAnswer } from '../../ports/mcp-servers.ts';
import type { ToolSpec } from '../../ports/model.ts';
import type { StartedProcess } from '../../ports/system.ts';
import type { ThreadGoal, Threads } from '../../ports/threads.ts';
import type { CallTimeRecording, TouchedFiles } from '../../ports/workspace.ts';
import type { CallItem } from '../../protocol/item.ts';
import { type JsonObject, objectAt, parseJsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ResolvedPolicy } from '../../protocol/permissions.ts';
import type { AnswerScope } from '../../protocol/question.ts';
import type { TurnItem } from '../../protocol/turn-item.ts';

/** A tool for the model. It states what a call needs; whether that is granted is decided elsewhere. */
export interface Tool extends ToolTraits {
  readonly spec: ToolSpec;
  /** The spec for policies that let calls ask for more than the sandbox grants. Absent: its calls cannot ask. */
  askingSpec?(offer: { readonly savesRules: boolean }): ToolSpec;
  /** Supplied by the program that opened the thread. */
  readonly isOwn?: true;
  /** Its output was written elsewhere, such as by a server. */
  readonly isExternal?: true;
  /** Another program wrote the schema and gets all arguments. */
  readonly foreignSchema?: true;
  /** Plans the call from the model's text, without side effects. A promise never rejects. */
  prepare(call: ToolCall, step: Step): CallPreparation | Promise<CallPreparation>;
}

/** Prepares a call wherever one tool calls another: traits of the tool apply to the call. */
export function prepareCall(tool: Tool, call: ToolCall, step: Step): CallPreparation | Promise<CallPreparation> {
  const marked = (prepared: CallPreparation): CallPreparation =>
    prepared.kind === 'prepared' && tool.isExternal === true ? { ...prepared, isExternal: true } : prepared;
  const prepared = tool.prepare(call, step);
  return prepared instanceof Promise ? prepared.then(marked) : marked(prepared);
}

export interface ToolCall {
  readonly callId: string;
  /** The arguments as the model wrote them: JSON text for function tools. */
  readonly input: string;
}

export type CallPreparation = PreparedCall | RefusedCall;

/**
 * A runnable call. `run` is invoked after its needs are granted and its start record is durable; again only if it was
 * blocked and then granted more.
 */
export interface PreparedCall {
  readonly kind: 'prepared';
  /** The call as surfaces show it while it runs. */
  readonly item: TurnItem;
  readonly needs: CallNeeds;
  /** Runs alone in its step: it waits for the calls before it, and those after it wait. */
  readonly alone?: true;
  /** Inherited from the tool: its output was written outside. */
  readonly isExternal?: true;
  /** Calling again does no harm; the model is informed of this if the program dies during the call. */
  readonly idempotent?: true;
  /** The item outlives the call: later calls change it, and it ends with the turn. */
  readonly standing?: true;
  /** Never rejects. On abort it ends what it started and answers soon. */
  run(call: CallRunContext): Promise<CallResult>;
}

export interface CallRunContext {
  readonly signal: AbortSignal;
  /** The turn's policy, or more where the user granted this call more. */
  readonly policy: ResolvedPolicy;
  /** Starting folder of a command, with links followed: the decision applies to it. Absent: as the call says. */
  readonly folder?: string;
  /** It leaves its turn's sandbox, so repositories are not protected from it. Absent: it does not. */
  readonly leaves?: true;
  /** Additional variables for its command. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Scope of the user's answer. Absent: no question was asked. */
  readonly allowed?: AnswerScope;
  /** The user's answer to the call's question. Absent: nothing beyond a yes. */
  readonly content?: JsonObject;
  /** Asks about a host that the policy leaves to the user. Absent: no user can be asked. */
  readonly answerHost?: AnswerNetworkHost;
  /** Puts a question of an MCP server to the user. Absent: no user can be asked. */
  readonly elicit?: (asked: McpElicitation) => Promise<McpElicitationAnswer>;
  /** True if something waits to enter history before the next request. Absent: unknown. */
  readonly hasMail?: () => boolean;
  /** Like `hasMail`, for the user's words only. Absent: unknown. */
  readonly hasWords?: () => boolean;
  /** The context window of the turn. `renew` compacts history before the next request. Absent: no control over it. */
  readonly window?: { left(): number; renew(): void };
  /** The goal of the thread. Absent: it can have none. */
  readonly goal?: ThreadGoal;
  /** The threads of the engine. One opened by the call has at most the rights of the turn. */
  readonly threads: Threads;
  started(process: StartedProcess): void;
  /** Live output for subscribers. Absent: there is none. */
  output?(bytes: Uint8Array): void;
  warn(outcome: Outcome): void;
}

/** `output` gives the model the reason. */
export interface RefusedCall {
  readonly kind: 'refused';
  readonly output: string;
  /** A user who can be asked might have allowed it. */
  readonly unasked?: true;
}

export interface CallResult {
  /** For the model: text within the budget of one tool output, or parts that include pictures. */
  readonly output: string | readonly JsonObject[];
  /** The whole output, if `output` is only a part of it. Kept beside the thread; the model never sees it. */
  readonly fullOutput?: string;
  readonly item: TurnItem;
  /** The access that the call lacked and that a user could grant. Absent: it did not fail for lack of access. */
  readonly blocked?: BlockedFiles;
  /** The command is still running. `item` is then in progress, and its changes to files are not known yet. */
  readonly session?: StartedSession;
  /** Sessions that the answer reports as ended. */
  readonly dropped?: readonly { readonly id: number; readonly fate: CommandSessionFate }[];
  /** Its changes to files. Absent: there are none, or undo is off. */
  readonly touched?: TouchedFiles;
}

export interface StartedSession {
  readonly session: CommandSession;
  readonly known?: StartedProcess;
  /** The watch begun with its call, and a way to begin again. Absent: it changes no files, or undo is off. */
  readonly changes?: { readonly begun: CallTimeRecording; again(): CallTimeRecording };
}

/**
 * Tools of Capstan ignore unknown arguments and report that at the end of the answer: the call is not wasted, and the
 * model learns that they had no effect. Foreign schemas are checked by their owners.
 */
export function reportUnknownArguments(tool: Tool, call: CallItem, prepared: CallPreparation): CallPreparation {
  const unknown = unknownIn(tool, call);
  if (unknown.length === 0) return prepared;
  const note = ignoredArgumentsText(unknown);
  if (prepared.kind === 'refused') return { ...prepared, output: `${prepared.output}\n${note}` };
  return {
    ...prepared,
    async run(running) {
      const end = await prepared.run(running);
      return { ...end, output: withEnd(end.output, note) };
    },
  };
}

function unknownIn(tool: Tool, call: CallItem): readonly string[] {
  if (tool.foreignSchema === true || call.type !== 'function_call') return [];
  const given = parseJsonObject(call.arguments);
  if (given === undefined) return [];
  const parameters = objectAt(tool.askingSpec?.({ savesRules: true }) ?? tool.spec, 'parameters');
  if (parameters?.['additionalProperties'] !== false) return [];
  const known = objectAt(parameters, 'properties') ?? {};
  // Some models write null for what they leave out.
  return Object.keys(given).filter((name) => !Object.hasOwn(known, name) && given[name] !== null);
}

function withEnd(output: CallResult['output'], note: string): CallResult['output'] {
  return typeof output === 'string'
    ? `${output}${output.endsWith('\n') ? '' : '\n'}${note}`
    : [...output, { type: 'input_text', text: note }];
}

/** The model's request never exceeds what the window allows. */
export function outputBudget(budget: TextBudget, tokens: number): TextBudget {
  return { mode: budget.mode, limit: Math.min(budget.limit, budget.mode === 'bytes' ? tokens * 4 : tokens) };
}

/** Undefined if it is not a positive number. */
export function readPositiveNumber(value: JsonObject, key: string, fallback: number): number | undefined {
  const given = value[key];
  if (given === undefined || given === null) return fallback;
  return typeof given === 'number' && given > 0 ? given : undefined;
}
