import type { Json, JsonObject } from '../protocol/json.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { McpApprovalMode } from '../protocol/permissions.ts';
import type { ToolSpec } from './model.ts';
import type { PlainCommand, RunnableCommand } from './sandbox.ts';

/** A tool of an MCP server, as a thread offers it. */
export interface McpTool {
  /** As the configuration names it. */
  readonly server: string;
  /** As the server names it. */
  readonly tool: string;
  /** As the model calls it: `mcp__<server>__<tool>` in signs that every provider accepts. */
  readonly name: string;
  readonly spec: ToolSpec;
  /** By its server now. The text that the model has read may be an older one. */
  readonly described: { readonly description: string; readonly parameters: JsonObject };
  readonly hints: McpToolHints;
  readonly approval: McpApprovalMode;
  /** The user allowed it for good as it is described; `isChanged`: as it was described before. */
  readonly isApprovedAsDescribed?: true;
  readonly isChanged?: true;
  /** Its calls run side by side with others. */
  readonly isParallel: boolean;
}

/** What a server claims of its tool. Absent: it says nothing. */
export interface McpToolHints {
  readonly readOnly?: boolean;
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly openWorld?: boolean;
}

/** The servers of a thread. Calls never reject. */
export interface McpServers {
  /** The names of the servers that are configured. */
  readonly names: readonly string[];
  call(wanted: McpToolCall, ways: McpCallOptions): Promise<McpAnswer>;
  /** `resources/list`, `resources/templates/list` and `resources/read`. */
  ask(wanted: McpResourceRequest, ways: McpCallOptions): Promise<McpAnswer>;
}

export interface McpToolCall {
  readonly server: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** What was known of the tool when the call was allowed. Absent: nothing depended on it. */
  readonly hints?: McpToolHints;
  readonly described?: McpTool['described'];
  /** It may be sent again where the server died over it. */
  readonly isRepeatable: boolean;
  /** Whose call it is. */
  readonly metadata: JsonObject;
}

export interface McpResourceRequest {
  readonly server: string;
  readonly method: 'resources/list' | 'resources/templates/list' | 'resources/read';
  readonly parameters: JsonObject;
}

export interface McpCallOptions {
  readonly signal: AbortSignal;
  /** Progress that the server reports. */
  progress?(text: string): void;
  /** What the user should know meanwhile. */
  warn(outcome: Outcome): void;
  /** Puts a question of the server to the user. Absent: no one can be asked. */
  elicit?(asked: McpElicitation): Promise<McpElicitationAnswer>;
}

/** What a server wants to know of the user, in its own words. */
export interface McpElicitation {
  readonly server: string;
  readonly message: string;
  /** A page that the user is asked to visit. Absent: a form. */
  readonly url?: string;
  /** The fields of the form, as JSON Schema. */
  readonly schema?: JsonObject;
}

export type McpElicitationAnswer =
  | { readonly action: 'accept'; readonly content?: JsonObject }
  | { readonly action: 'decline' | 'cancel' };

export type McpAnswer =
  | { readonly kind: 'result'; readonly result: JsonObject }
  /** `why`: a sentence of ours, with the server's words quoted in it. */
  | { readonly kind: 'failed'; readonly why: string; readonly data?: Json };

/** As it is, or isolated. */
export type ServerCommand = PlainCommand & Partial<Pick<RunnableCommand, 'files' | 'handover' | 'cleanup'>>;

/** Starts programs that answer on their output what is written to their input. Never rejects. */
export type StartServerProcess = (
  command: ServerCommand,
  watch: ServerProcessWatch,
) => Promise<ServerProcess | { readonly kind: 'not-started'; readonly reason: string }>;

export interface ServerProcessWatch {
  /** Every byte of its output, as it comes. */
  output(bytes: Uint8Array): void;
  /** It ended by itself, or was ended. Called once. `errors`: the end of what it wrote to its error stream. */
  ended(how: { readonly exitCode: number; readonly errors: string }): void;
}

/** The whole process tree dies with this process. */
export interface ServerProcess {
  readonly kind: 'running';
  /** Resolves when the input has space again. Nothing happens once the process has ended. */
  write(text: string): Promise<void>;
  /** Closes its input and ends it if it does not go by itself. Never rejects. */
  close(): Promise<void>;
}
