import type { Json, JsonObject } from '../protocol/json.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { McpApprovalMode } from '../protocol/permissions.ts';
import type { Question } from '../protocol/question.ts';
import type { NotStarted } from './commands.ts';
import type { ToolSpec } from './model.ts';
import type { PlainCommand, RunnableCommand } from './sandbox.ts';

export interface McpTool {
  readonly server: string;
  /** The server's own name for it. */
  readonly tool: string;
  /** The model's name for it: `mcp__<server>__<tool>` in characters that every provider accepts. */
  readonly name: string;
  readonly spec: ToolSpec;
  /** The server's current description. The model may have read an older one. */
  readonly described: { readonly description: string; readonly parameters: JsonObject };
  readonly hints: McpToolHints;
  readonly approval: McpApprovalMode;
  /** The user approved it permanently with this description; `isChanged`: with an earlier one. */
  readonly isApprovedAsDescribed?: true;
  readonly isChanged?: true;
  readonly isParallel: boolean;
}

/** A server's claims about its tool. Absent: no claim. */
export interface McpToolHints {
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly openWorld?: boolean;
}

/** The servers of a thread. Calls never reject. */
export interface McpServers {
  readonly names: readonly string[];
  call(wanted: McpToolCall, ways: McpCallOptions): Promise<McpAnswer>;
  /** `resources/list`, `resources/templates/list` and `resources/read`. */
  ask(wanted: McpResourceRequest, ways: McpCallOptions): Promise<McpAnswer>;
}

export interface McpToolCall {
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** The tool's hints, if Capstan allowed the call because of them. Absent: nothing depended on them. */
  readonly hints?: McpToolHints;
  readonly described?: McpTool['described'];
  /** May be sent again if the server died during the call. */
  readonly isRepeatable: boolean;
  readonly metadata: JsonObject;
}

export interface McpResourceRequest {
  readonly server: string;
  readonly method: 'resources/list' | 'resources/templates/list' | 'resources/read';
  readonly parameters: JsonObject;
}

export interface McpCallOptions {
  readonly signal: AbortSignal;
  progress?(text: string): void;
  warn(outcome: Outcome): void;
  /** Asks the user a question of the server. Absent: no one can be asked. */
  elicit?(asked: McpElicitation): Promise<McpElicitationAnswer>;
}

export type McpElicitation = NonNullable<Question['elicitation']>;
export type McpElicitationAnswer =
  | { readonly action: 'accept'; readonly content?: JsonObject }
  | { readonly action: 'decline' | 'cancel' };

export type McpAnswer =
  | { readonly kind: 'result'; readonly result: JsonObject }
  /** `why`: our sentence, with the server's words quoted in it. */
  | { readonly kind: 'failed'; readonly why: string; readonly data?: Json };

export type ServerCommand = PlainCommand & Partial<Pick<RunnableCommand, 'files' | 'handover' | 'cleanup'>>;

export type StartServerProcess = (
  command: ServerCommand,
  watch: ServerProcessWatch,
) => Promise<ServerProcess | NotStarted>;

export interface ServerProcessWatch {
  output(bytes: Uint8Array): void;
  /** Called once, when it ended by itself or was ended. `errors`: the end of its error stream. */
  ended(how: { readonly exitCode: number; readonly errors: string }): void;
}

/** The whole process tree dies with this process. */
export interface ServerProcess {
  readonly kind: 'running';
  /** Resolves when the input has space again. Does nothing once the process has ended. */
  write(text: string): Promise<void>;
  /** Closes its input and ends it if it does not exit by itself. Never rejects. */
  close(): Promise<void>;
}
