import type { JsonObject } from '../../../protocol/json.ts';
import type { CallContext, InputRequired, ServerResources, ServerTool } from './server-tool.ts';

/** Everything that the MCP server offers, apart from any revision of the protocol and any transport. */
export interface ServerApp {
  readonly tools: readonly ServerTool[];
  readonly resources?: ServerResources;
  readonly prompts?: ServerPrompts;
  /** For the model of the host: what the server is good for. */
  readonly instructions?: string;
  /** What seals calls that wait for their users, the same after a restart. Undefined, or absent: a key of the process does. */
  callSecret?(): string | undefined;
  /** Calls back when one of the lists has changed, until the function that it gives is called. */
  watchLists?(changed: (list: ChangedList) => void): () => void;
  /** Ends everything that runs. No tool is called afterwards. */
  close(): Promise<void>;
}

export type ChangedList = 'tools' | 'resources' | 'prompts';

/** Templates of messages that a host offers its user. */
export interface ServerPrompts {
  /** As `prompts/list` gives them. */
  readonly list: readonly JsonObject[];
  /** Undefined: there is no such prompt. */
  get(
    name: string,
    args: Readonly<Record<string, string>>,
    context: CallContext,
  ): Promise<PromptAnswer | InputRequired | undefined>;
  complete(name: string, argument: string, value: string): Promise<readonly string[]>;
}

export interface PromptAnswer {
  readonly kind: 'prompt';
  readonly messages: readonly JsonObject[];
}
