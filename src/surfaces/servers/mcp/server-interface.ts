import type { ClientSilence } from '../../../core/fragments/answers/tool-calls.ts';
import type { JsonObject } from '../../../protocol/json.ts';

/** Everything that the MCP server offers, independent of protocol revision and transport. */
export interface ServerApp {
  readonly tools: readonly ServerTool[];
  readonly resources?: ServerResources;
  readonly prompts?: ServerPrompts;
  /** Tells the host's model what the server is good for. */
  readonly instructions?: string;
  /** The key that seals waiting calls, the same after a restart. Undefined or absent: the process makes its own. */
  callSecret?(): string | undefined;
  /** Calls back when one of the lists has changed, until the returned function is called. */
  watchLists?(changed: (list: ChangedList) => void): () => void;
  /** Ends everything that runs. No tool is called afterwards. */
  close(): Promise<void>;
}

export type ChangedList = 'tools' | 'resources' | 'prompts';

export interface ServerPrompts {
  readonly list: readonly JsonObject[];
  /** Undefined if there is no such prompt. */
  get(
    name: string,
    args: Readonly<Record<string, string>>,
    context: CallContext,
  ): Promise<PromptAnswer | InputRequired | undefined>;
  complete(name: string, argument: string, value: string): Promise<readonly string[]>;
}

export type PromptAnswer = { readonly kind: 'prompt'; readonly messages: readonly JsonObject[] };

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
  /** Aborts when the client cancels the call or is gone. */
  readonly signal: AbortSignal;
  readonly requestId: string | number;
  /** The connection, or the one request of a client without one. */
  readonly client: ClientPort;
  /** Answers to the `InputRequired` of this call by its keys, without those left out. Absent: the first call. */
  readonly responses?: Readonly<Record<string, ClientResponse>>;
  readonly state?: JsonObject;
  /** Sent only if the client requested progress. */
  progress(done: number, message: string): void;
}

/** Sends events and questions to the client besides the answer. */
export interface ClientPort {
  readonly id: string;
  readonly canAsk: boolean;
  /** Events reach it after the call, too: false for a client whose only connection is its request. */
  readonly stays: boolean;
  /** Aborts when the connection ends or, for a client without one, its request. */
  readonly gone: AbortSignal;
  /** Never waits. Drops what does not fit, and counts it in one `notifications/capstan/missed` when there is room. */
  notify(method: string, params: JsonObject): void;
  /**
   * Resolves when the client has taken nearly all, or is gone. Awaited after each event, it serves a slow client from
   * the rollout, so that nothing recorded is missed; `notify` may drop the rest.
   */
  ready(): Promise<void>;
}

export interface ToolAnswer {
  readonly kind: 'answer';
  readonly text: string;
  /** Content blocks that replace the text when there is more to show. */
  readonly content?: readonly JsonObject[];
  readonly data: JsonObject;
  readonly isError?: true;
}

/** Asks the client's user; afterwards the tool is called again with the same arguments, `responses` and `state`. */
export interface InputRequired {
  readonly kind: 'input-required';
  readonly questions: Readonly<Record<string, ClientQuestion>>;
  readonly state: JsonObject;
  /** Aborts when the answers are no longer needed. If the client is still asking its user, Capstan tells it to stop. */
  readonly answered?: AbortSignal;
  /** Takes each answer as it comes, if they come one by one. `responses` has them all in the end. */
  given?(key: string, response: ClientResponse): void;
}

export type ClientQuestion = FormQuestion | ClientRequest;

export interface FormQuestion {
  readonly message: string;
  /** A flat JSON Schema, as elicitation allows. */
  readonly schema: JsonObject;
  readonly extra?: JsonObject;
}

export interface ClientRequest {
  readonly method: 'sampling/createMessage' | 'roots/list';
  readonly params: JsonObject;
}

/**
 * Accepted content fits its schema. `unanswered`: the client failed, or its answer has another shape, which does not
 * speak for its user. An older Codex `{decision}` is an `accept` with it as content.
 */
export type ClientResponse =
  | { readonly action: 'accept'; readonly content: JsonObject }
  | { readonly action: 'decline' | 'cancel' }
  | { readonly action: 'unanswered'; readonly because: ClientSilence };

export interface ServerResources {
  readonly templates: readonly {
    readonly uriTemplate: string;
    readonly name: string;
    readonly title: string;
    readonly description: string;
    readonly mimeType: string;
  }[];
  list(cursor: string | undefined): Promise<{ readonly resources: readonly JsonObject[]; readonly next?: string }>;
  /** Accepts every URI that can be followed, since notices name it. Undefined if there is no such resource. */
  read(uri: string): Promise<readonly JsonObject[] | undefined>;
  /** True if `watch` can ever call back: the URI is one of this server, and its target exists. */
  canFollow(uri: string): Promise<boolean>;
  /**
   * Calls back whenever it may have changed, until the returned function is called. `client` also gets the thread's
   * typed events, with `?after=` in the URI first those after that place.
   */
  watch(uri: string, changed: () => void, client?: ClientPort): () => void;
  complete(template: string, argument: string, value: string): Promise<readonly string[]>;
}

const [longest, head, tail] = [1000, 400, 200];

/** Shortens text about a call, which may quote an argument of any length, so that a host need not read that back. */
export function shortenCallText(words: string): string {
  if (words.length <= longest) return words;
  const left = words.length - head - tail;
  return `${words.slice(0, head)}… (${left} characters left out) …${words.slice(-tail)}`.toWellFormed();
}
