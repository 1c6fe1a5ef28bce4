import type { JsonObject, Json } from '../protocol/json.ts';
import type { McpApprovalMode } from '../protocol/mcp-approval-mode.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { ToolSpec } from './prompt.ts';

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
  call(wanted: McpToolCall, ways: McpCallWays): Promise<McpAnswer>;
  /** `resources/list`, `resources/templates/list` and `resources/read`. */
  ask(wanted: McpResourceRequest, ways: McpCallWays): Promise<McpAnswer>;
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

export interface McpCallWays {
  readonly signal: AbortSignal;
  /** Progress that the server reports. */
  progress?(text: string): void;
  /** What the user should know meanwhile. */
  warn(outcome: Outcome): void;
  /** Puts a question of the server to the user. Absent: no one can be asked. */
  elicit?(asked: McpElicitation): Promise<McpElicited>;
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

export type McpElicited =
  | { readonly action: 'accept'; readonly content?: JsonObject }
  | { readonly action: 'decline' | 'cancel' };

export type McpAnswer =
  | { readonly kind: 'result'; readonly result: JsonObject }
  /** `why`: a sentence of ours, with the server's words quoted in it. */
  | { readonly kind: 'failed'; readonly why: string; readonly data?: Json };
