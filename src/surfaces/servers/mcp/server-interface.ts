import type { ClientSilence } from '../../../core/fragments/answers/tool-calls.ts';
import type { JsonObject } from '../../../protocol/json.ts';

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
  /** As the client named its request. */
  readonly requestId: string | number;
  /** The connection, or the one request of a client without one. */
  readonly client: ClientPort;
  /**
   * What the client answered to the `InputRequired` of this call, by the same keys; a key that it left out is missing.
   * Absent: the first time.
   */
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
  /** Events reach it after the call, too: false of a client whose only connection is its request. */
  readonly stays: boolean;
  /** Aborts when the connection ends; of a client without one, when its request does. */
  readonly gone: AbortSignal;
  /**
   * A typed event of a thread, as it happens. Never waits. Of a client that does not read, only so many wait in memory;
   * the others are dropped and counted in one `notifications/capstan/missed` when it reads again.
   */
  notify(method: string, params: JsonObject): void;
  /**
   * Resolves when the client has taken nearly all that was sent, or is gone. A loop that follows a thread waits for it
   * after each event: then a slow client is served from the rollout and misses nothing that is recorded.
   */
  ready(): Promise<void>;
}

export interface ToolAnswer {
  readonly kind: 'answer';
  /** Short, for the model of the host. */
  readonly text: string;
  /** Content blocks in the place of the text, where there is more to show than text. */
  readonly content?: readonly JsonObject[];
  readonly data: JsonObject;
  readonly isError?: true;
}

/** The client's user is to answer; then the tool is called again with the same arguments, `responses` and `state`. */
export interface InputRequired {
  readonly kind: 'input-required';
  readonly questions: Readonly<Record<string, ClientQuestion>>;
  readonly state: JsonObject;
  /** Aborts when the answers are not needed any more: the wire tells a client that is still asking its user to stop. */
  readonly answered?: AbortSignal;
  /** Takes each answer as it comes, where the wire gets them one by one. `responses` has them all in the end. */
  given?(key: string, response: ClientResponse): void;
}

export type ClientQuestion = FormQuestion | ClientRequest;

export interface FormQuestion {
  readonly message: string;
  /** A flat JSON Schema, as elicitation allows. */
  readonly schema: JsonObject;
  /** Beside the standard fields, for clients that know them. */
  readonly extra?: JsonObject;
}

/** Something else that a client may do for a server. Its result is the content of an `accept`. */
export interface ClientRequest {
  readonly method: 'sampling/createMessage' | 'roots/list';
  readonly params: JsonObject;
}

/**
 * An accepted form fits the schema of its question. `unanswered`: the client answered in any other shape, or failed,
 * which is no word of its user. The `{decision}` of older clients of Codex is one of these, an `accept` with it as content.
 */
export type ClientResponse =
  | { readonly action: 'accept'; readonly content: JsonObject }
  | { readonly action: 'decline' | 'cancel' }
  | { readonly action: 'unanswered'; readonly because: ClientSilence };

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
  /** Takes every URI that can be followed, since notices name it. Undefined: there is no such resource. */
  read(uri: string): Promise<readonly JsonObject[] | undefined>;
  /** Whether `watch` can ever call back: the URI is one of this server, and what it names exists. */
  canFollow(uri: string): Promise<boolean>;
  /**
   * Calls back whenever it may have changed, until the function that it gives is called. `client`, where the subscription
   * belongs to one, is sent the typed events of the thread as well; with `?after=` in the URI, first those behind that
   * place.
   */
  watch(uri: string, changed: () => void, client?: ClientPort): () => void;
  complete(template: string, argument: string, value: string): Promise<readonly string[]>;
}

const [longest, head, tail] = [1000, 400, 200];

/** Words about a call, which may quote an argument of any length: a host must not have to read that back. */
export function shortened(words: string): string {
  if (words.length <= longest) return words;
  const left = words.length - head - tail;
  return `${words.slice(0, head)}… (${left} characters left out) …${words.slice(-tail)}`.toWellFormed();
}
