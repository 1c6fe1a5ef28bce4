import type { Step } from '../../core/envelope/envelope.ts';
import type { ToolTraits } from '../../core/envelope/facts.ts';
import { ignoredArguments } from '../../core/fragments/answers/tool-calls.ts';
import type { Budget } from '../../core/fragments/text/truncate.ts';
import type { BlockedFiles, CallNeeds } from '../../core/policy/decide/call-decision.ts';
import type { AnswerHost } from '../../ports/ask-user.ts';
import type { Session, SessionFate } from '../../ports/commands.ts';
import type { McpElicitation, McpElicitationAnswer } from '../../ports/mcp-servers.ts';
import type { ToolSpec } from '../../ports/model.ts';
import type { StartedProcess } from '../../ports/system.ts';
import type { ThreadGoal, Threads } from '../../ports/threads.ts';
import type { CallWatch, TouchedFiles } from '../../ports/workspace.ts';
import type { CallItem } from '../../protocol/item.ts';
import { isJsonObject, type JsonObject, objectAt, parseJsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ResolvedPolicy } from '../../protocol/permissions.ts';
import type { AnswerScope } from '../../protocol/question.ts';
import type { TurnItem } from '../../protocol/turn-item.ts';

/** Something the model can ask for. A tool says what a call needs; whether it gets that is decided elsewhere. */
export interface Tool extends ToolTraits {
  readonly spec: ToolSpec;
  /** The same where a call may ask for more than the sandbox grants. Absent: no call does. */
  askingSpec?(offer: AskingOffer): ToolSpec;
  /** The program that opened the thread gave it to it. */
  readonly isOwn?: true;
  /** What it answers was written elsewhere, such as by a server. */
  readonly isExternal?: true;
  /** Another program wrote the schema and gets all arguments. */
  readonly foreignSchema?: true;
  /** Reads what the model wrote and says what would be done. Has no effect on the world. A promise never rejects. */
  prepare(call: ToolCall, step: Step): Prepared | Promise<Prepared>;
}

/** A call of a tool as it is prepared wherever one calls another: what is true of the tool is true of the call. */
export function prepareCall(tool: Tool, call: ToolCall, step: Step): Prepared | Promise<Prepared> {
  const marked = (prepared: Prepared): Prepared =>
    prepared.kind === 'prepared' && tool.isExternal === true ? { ...prepared, isExternal: true } : prepared;
  const prepared = tool.prepare(call, step);
  return prepared instanceof Promise ? prepared.then(marked) : marked(prepared);
}

/** What a question of a call can lead to. */
export interface AskingOffer {
  /** The answer may save a rule that the call proposes. */
  readonly savesRules: boolean;
}

export interface ToolCall {
  readonly callId: string;
  /** The arguments as the model wrote them: JSON text for function tools. */
  readonly input: string;
}

export type Prepared = PreparedCall | RefusedCall;

/** A call that could run. `run` is invoked after its needs are granted and the record that it starts is durable; again only where it was blocked and then granted more. */
export interface PreparedCall {
  readonly kind: 'prepared';
  /** The call as surfaces show it while it runs. */
  readonly item: TurnItem;
  readonly needs: CallNeeds;
  /** It runs beside no other call of its step: it waits for those before it, and those after it wait. */
  readonly alone?: true;
  /** As its tool: what it answers was written outside. */
  readonly isExternal?: true;
  /** Calling again does no harm: the model hears so if the program dies while the call runs. */
  readonly idempotent?: true;
  /** The item outlives the call: later calls change it, and it is over when the turn is. */
  readonly standing?: true;
  /** Never rejects. When the signal aborts it ends what it started and answers soon. */
  run(call: RunningCall): Promise<CallResult>;
}

/** What a call that runs works with. */
export interface RunningCall {
  readonly signal: AbortSignal;
  /** What it may do: the turn's policy, or more where the user granted this call more. */
  readonly policy: ResolvedPolicy;
  /** Where a command starts, links followed: what was decided holds there. Absent: where it says. */
  readonly folder?: string;
  /** It leaves the sandbox of its turn: repositories are not kept from it. Absent: it does not. */
  readonly leaves?: true;
  /** What its command gets beside its own variables. */
  readonly variables?: Readonly<Record<string, string>>;
  /** How far the user's answer goes. Absent: no question was asked. */
  readonly allowed?: AnswerScope;
  /** What the user answered to what the call asks. Absent: nothing beyond a yes. */
  readonly content?: JsonObject;
  /** Asks about a host that the policy leaves to an answer. Absent: no one can be asked about any. */
  readonly answerHost?: AnswerHost;
  /** Puts a question of an MCP server to the user. Absent: no one can be asked. */
  readonly elicit?: (asked: McpElicitation) => Promise<McpElicitationAnswer>;
  /** Whether something waits to enter history before the next request. Absent: not known. */
  readonly hasMail?: () => boolean;
  /** Whether words of the user do. Absent: not known. */
  readonly hasWords?: () => boolean;
  /** The window of the turn. Absent: the call has no say in it. */
  readonly window?: {
    /** Tokens that the next request has left. */
    left(): number;
    /** History is compacted before the next request. */
    renew(): void;
  };
  /** The goal of the thread. Absent: it can have none. */
  readonly goal?: ThreadGoal;
  /** The threads of the engine. One that the call opens may do what the turn may, or less. */
  readonly threads: Threads;
  /** Reports the process that does the work, while it runs. */
  started(process: StartedProcess): void;
  /** Output as it comes, for subscribers that look on. Absent: none does. */
  output?(bytes: Uint8Array): void;
  /** What the user should know meanwhile. */
  warn(outcome: Outcome): void;
}

/** A call that will not run; `output` tells the model why. */
export interface RefusedCall {
  readonly kind: 'refused';
  readonly output: string;
  /** A user who can be asked might have allowed it. */
  readonly unasked?: true;
}

export interface CallResult {
  /** What the model reads: text within the budget of one tool output, or parts with pictures among them. */
  readonly output: string | readonly JsonObject[];
  /** The whole output, if `output` is only a part of it. Kept beside the thread; the model never sees it. */
  readonly fullOutput?: string;
  /** The call as surfaces show it when it is over. */
  readonly item: TurnItem;
  /** It failed because of this, which the policy does not grant and a user could. Absent: nothing of that sort. */
  readonly blocked?: BlockedFiles;
  /** The command of the call runs on. Then `item` is in progress, and what it does to files is not known yet. */
  readonly session?: StartedSession;
  /** Sessions of which the answer says that they are no more. */
  readonly dropped?: readonly { readonly id: number; readonly fate: SessionFate }[];
  /** What it did to files. Absent: it changed none, or undo is off. */
  readonly touched?: TouchedFiles;
}

/** A command that outlives its call. */
export interface StartedSession {
  readonly session: Session;
  /** Its process, once it is known. */
  readonly known?: StartedProcess;
  /** When it may change files: what was begun with its call, and once more. Absent: it changes none, or undo is off. */
  readonly changes?: { readonly begun: CallWatch; again(): CallWatch };
}

/**
 * A tool of Capstan ignores arguments that it does not have, and the end of its answer says so: the call is not wasted,
 * and the model learns that they did nothing. Schemas of others are theirs to check.
 */
export function reportUnknown(tool: Tool, call: CallItem, prepared: Prepared): Prepared {
  const unknown = unknownIn(tool, call);
  if (unknown.length === 0) return prepared;
  const note = ignoredArguments(unknown);
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
  const spec = tool.askingSpec?.({ savesRules: true }) ?? tool.spec;
  const parameters = spec['parameters'];
  if (!isJsonObject(parameters) || parameters['additionalProperties'] !== false) return [];
  const known = objectAt(parameters, 'properties') ?? {};
  // Some models write null for what they leave out.
  return Object.keys(given).filter((name) => !Object.hasOwn(known, name) && given[name] !== null);
}

function withEnd(output: CallResult['output'], note: string): CallResult['output'] {
  return typeof output === 'string'
    ? `${output}${output.endsWith('\n') ? '' : '\n'}${note}`
    : [...output, { type: 'input_text', text: note }];
}

/** What the model asked for never raises what the window allows. */
export function outputBudget(budget: Budget, tokens: number): Budget {
  return { mode: budget.mode, limit: Math.min(budget.limit, budget.mode === 'bytes' ? tokens * 4 : tokens) };
}

/** A number of the arguments; undefined when it is none, or not positive. */
export function positiveNumber(value: JsonObject, key: string, fallback: number): number | undefined {
  const given = value[key];
  if (given === undefined || given === null) return fallback;
  return typeof given === 'number' && given > 0 ? given : undefined;
}
