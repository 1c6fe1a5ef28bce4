import type { JsonObject } from '../../protocol/json.ts';

/** A tool of the MCP server, apart from any revision of the protocol and any transport. */
export interface ServerTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON Schemas of objects. Arguments are checked against `input` before the call; unknown keys are refused. */
  readonly input: JsonObject;
  readonly output: JsonObject;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
  };
  /** Always callable; listed only with `--compat`. */
  readonly isAlias?: true;
  call(args: JsonObject, context: CallContext): Promise<ToolAnswer | InputRequired>;
}

export interface CallContext {
  /** Aborts when the client cancels the call, or is gone. */
  readonly signal: AbortSignal;
  /** The connection, or the one request of a client without one. */
  readonly client: ClientPort;
  /** What the client answered to the `InputRequired` of this call, by the same keys. Absent: the first time. */
  readonly responses?: Readonly<Record<string, ClientResponse>>;
  /** What that `InputRequired` carried. */
  readonly state?: JsonObject;
  /** Sent only where the client asked for progress. */
  progress(done: number, message: string): void;
}

/** What reaches the client besides the answer. */
export interface ClientPort {
  readonly id: string;
  /** The client can ask its user. */
  readonly canAsk: boolean;
  /** A typed event of a thread, as it happens. Never waits. */
  notify(method: string, params: JsonObject): void;
}

export interface ToolAnswer {
  readonly kind: 'answer';
  /** Short, for the model of the host. */
  readonly text: string;
  readonly data: JsonObject;
  readonly isError?: true;
}

/** The client's user is to answer; then the tool is called again with the same arguments, `responses` and `state`. */
export interface InputRequired {
  readonly kind: 'input-required';
  readonly questions: Readonly<Record<string, ClientQuestion>>;
  readonly state: JsonObject;
}

export interface ClientQuestion {
  readonly message: string;
  /** A flat JSON Schema, as elicitation allows. */
  readonly schema: JsonObject;
  /** Beside the standard fields, for clients that know them. */
  readonly extra?: JsonObject;
}

export type ClientResponse =
  | { readonly action: 'accept'; readonly content: JsonObject }
  | { readonly action: 'decline' | 'cancel' };

/** What can be read, and followed, by URI. */
export interface ServerResources {
  readonly templates: readonly {
    readonly uriTemplate: string;
    readonly name: string;
    readonly title: string;
    readonly description: string;
    readonly mimeType: string;
  }[];
  list(cursor: string | undefined): Promise<{ readonly resources: readonly JsonObject[]; readonly next?: string }>;
  read(uri: string): Promise<readonly JsonObject[] | undefined>;
  /** Calls back whenever it may have changed, until the function that it gives is called. */
  watch(uri: string, changed: () => void): () => void;
  complete(template: string, argument: string, value: string): Promise<readonly string[]>;
}
