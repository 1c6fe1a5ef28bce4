import type { Item } from '../protocol/item.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { RateLimits } from '../protocol/rate-limits.ts';
import type { Usage } from '../protocol/usage.ts';
import type { InputWriter } from '../protocol/user-input.ts';

/**
 * Sends one encoded request and gives back what the model says, as it says it.
 * The iteration never throws: it ends with exactly one `completed` or `failed`. When the signal aborts it ends at once
 * with `failed` and code `aborted`. Abandoning the iteration closes the connection.
 */
export interface ModelClient {
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /**
   * Lets the provider make a checkpoint and waits for all of it. Never rejects; stops at once when the signal aborts.
   * A provider has it whose remote compaction is `unary`.
   */
  compact?(request: ModelRequest, signal: AbortSignal): Promise<CompactAnswer>;
  /** How the next request would identify itself. Never rejects. */
  authMode(): Promise<AuthMode>;
  /** In which field the server wants the length of this model's answers, where it refused the usual one. */
  lengthField?(model: string): LengthField | undefined;
  /** A request follows soon: opens what can be opened before it is there. Nothing of the conversation leaves. */
  prewarm?(request: Pick<ModelRequest, 'headers'>): void;
  /** Gives up what is kept open for the next request. */
  close?(): void;
}

/** `chatgpt`: a login with an account, whose plan pays. `none`: no key is known here, whatever headers say. */
export type AuthMode = 'api-key' | 'chatgpt' | 'none';

export type CompactAnswer =
  | { readonly kind: 'compacted'; readonly output: readonly Item[]; readonly usage?: Usage }
  | { readonly kind: 'failed'; readonly failure: ModelFailure };

export interface ModelRequest {
  readonly body: readonly Uint8Array[];
  /** What the body says, of a request of the conversation: a client may send only what is new to the server. */
  readonly prompt?: Prompt;
  /** Extra headers: names of thread, turn and the like. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Nothing of the request leaves before this resolves; meanwhile the connection may be opened. When it rejects nothing
   * leaves at all, and the iteration ends as if the signal had aborted.
   */
  readonly after?: Promise<void>;
  /**
   * Called when the system has the whole request: from here on there is time. `frame`: as what it left, if not as its
   * body. Called again if the server did not take that, and it left as another one.
   */
  readonly onSent?: (frame?: SentFrame) => void;
  /** Called when the client sends the request again by itself, before it waits: the server has not begun to answer. */
  readonly onRetry?: (retry: RequestRetry) => void;
  /** `checkpoint`: the request ends in a trigger, and the provider compacts by itself. Absent: the model answers. */
  readonly wants?: 'checkpoint';
  /** For whom it is, for a server that has several kinds of machines. */
  readonly routing?: { readonly model: string; readonly tier?: string };
  /** What the answer may bring over the network, where that is less than what every answer may. */
  readonly maxBytes?: number;
}

/** Why a request is sent again, and when: for the `attempt`th time `of` so many, both without the first one. */
export interface RequestRetry {
  readonly failure: ModelFailure;
  readonly waitMs: number;
  readonly attempt: number;
  readonly of: number;
  /** After the last one the failure is final: its caller does not try again. */
  readonly isFinal?: true;
}

/** A request as it left over a connection that remembers the last answer. */
export interface SentFrame {
  /** Absent: the whole request. */
  readonly link?: FrameLink;
  /** Of the input, that it holds. */
  readonly items: number;
  readonly content: readonly Uint8Array[];
}

export type ModelEvent =
  /** What the provider says of its limits. Comes first, also before a refusal. */
  | { readonly kind: 'rate-limits'; readonly limits: RateLimits }
  /** The model that answers, as the server names it. */
  | { readonly kind: 'server-model'; readonly model: string }
  /** The state of the server's list of models. */
  | { readonly kind: 'models-etag'; readonly etag: string }
  | { readonly kind: 'created'; readonly responseId: string }
  | { readonly kind: 'text-delta'; readonly itemId: string; readonly delta: string }
  /** Of the summary of its thinking, whose parts are counted from 0. */
  | { readonly kind: 'reasoning-delta'; readonly itemId: string; readonly part: number; readonly delta: string }
  | { readonly kind: 'item'; readonly item: Item }
  /** What the user should know about the way to the provider. It changes nothing about the answer. */
  | { readonly kind: 'notice'; readonly outcome: Outcome }
  /** `endTurn` false means that the model wants another step although it called no tool. */
  | { readonly kind: 'completed'; readonly responseId: string; readonly usage?: Usage; readonly endTurn?: boolean }
  /** `usage`: what an answer cost that ended before it was complete, where the provider counted it. */
  | { readonly kind: 'failed'; readonly failure: ModelFailure; readonly usage?: Usage };

export type ModelFailureCode =
  | 'aborted'
  | 'context-window-exceeded'
  | 'usage-limit'
  | 'invalid-request'
  | 'policy'
  | 'unauthorized'
  | 'overloaded'
  | 'rate-limited'
  | 'server-error'
  | 'connection-failed'
  | 'stream-cut'
  | 'stream-idle'
  | 'incomplete'
  /** More came than one answer may bring. */
  | 'answer-too-large'
  /** It was not done when its time was over. */
  | 'answer-too-slow'
  /** It could pass a limit that the user set. It was not sent. */
  | 'spending-limit'
  /** The code of its wire format threw something. */
  | 'provider-faulty';

/** Why no answer came. `retry` says whether sending again may help, and how long to wait if the server said so. */
export interface ModelFailure extends Outcome<ModelFailureCode> {
  readonly retry: 'never' | RetryAdvice;
  /** The row of the table of causes that it comes from. Absent: it is not from there. */
  readonly cause?: string;
  readonly status?: number;
  /** When the limit that was reached resets, in milliseconds since the epoch, if the server said so. */
  readonly resetsAt?: number;
  /** The window that the server names when it refuses a request as too long, in tokens. */
  readonly window?: number;
  /** The server refused the request itself (4xx), and nothing in its answer says what is wrong with it. */
  readonly unexplained?: true;
}

export interface RetryAdvice {
  /** The next request says it in other words, so that this one takes no attempt away. */
  readonly otherwise?: true;
  /** How long to wait, if the server said so. */
  readonly afterMs?: number;
  /** What the server asked for, where that is longer than a client should wait. */
  readonly askedMs?: number;
}

/** A tool as the model sees it, in the Responses dialect. */
export interface ToolSpec extends JsonObject {
  readonly type: string;
}

/**
 * The part of a request that is neither instructions, tools nor input. It is stored with every request,
 * so that the request can be rebuilt without the configuration of that day.
 */
export interface RequestOptions {
  readonly model: string;
  readonly effort?: string;
  readonly summary?: string;
  readonly verbosity?: string;
  readonly serviceTier?: string;
  /** Absent, like the next one: the server decides. */
  readonly temperature?: number;
  /** Texts at which the answer ends. */
  readonly stop?: readonly string[];
  readonly outputSchema?: JsonObject;
  readonly cyberAccessProgram?: string;
  /** The most tokens that an answer may have, for a format that must name it. */
  readonly maxOutputTokens?: number;
  /** The most tokens that this answer may have, because of a limit on what is spent. Every format names it. */
  readonly outputLimit?: number;
  /** The field that says so in Chat Completions, where the server refused the usual one. */
  readonly lengthField?: LengthField;
  readonly parallelToolCalls: boolean;
  /** The model sees the tools and may call none. Absent: it decides. */
  readonly toolChoice?: 'none';
  /** The body of a request to the compact endpoint. Absent: that of a step. */
  readonly form?: 'compact';
  /** Stable over the thread: lets the provider find the cached prefix. */
  readonly cacheKey: string;
  /** Labels for the provider's logs. The only part that may change from request to request for no reason of content. */
  readonly labels: Readonly<Record<string, string>>;
}

export type LengthField = 'max_tokens' | 'max_completion_tokens';

/** Everything one model request says, in no wire format. */
export interface Prompt {
  readonly options: RequestOptions;
  readonly instructions: string;
  readonly tools: readonly ToolSpec[];
  /** Model-visible items, oldest first, ready to be sent. */
  readonly input: readonly Item[];
  /** Of messages of the user's role in it: who wrote them, if not the user. It may know items that are not in it. */
  readonly writers?: ReadonlyMap<Item, InputWriter>;
}

/**
 * Turns a prompt into the bytes of a request body.
 * Equal prompts give equal bytes, whatever was encoded before. The bytes of `input` for a longer input begin with the
 * bytes of the shorter one, its closing quotes and brackets and marks of the cache aside, and cost only what is new to
 * it. Where a message may go on, a text that a picture joins becomes a list of parts.
 */
export interface Encoder {
  /** Names the format and its revision. Stored with each request; bytes may only change together with it. */
  readonly version: string;
  /** The body in pieces, in order. The caller must not change them. */
  body(prompt: Prompt): readonly Uint8Array[];
  /** An item as it stands in a body. */
  item(item: Item): Uint8Array;
  /**
   * The same request as a message of a connection that remembers the last answer: whole, or what is new behind that
   * answer. Absent: the format has no such connection.
   */
  frame?(prompt: Prompt, link: FrameLink | undefined): readonly Uint8Array[];
}

/** What a frame builds on. */
export interface FrameLink {
  /** The id of the answer that the connection remembers. */
  readonly previous: string;
  /** So many items of the input are known there, with those of the answer. */
  readonly from: number;
}

/** What serves models to a thread: how requests are written for it, how they are sent, and what it can do. */
export interface Provider {
  /** Its wire format, as `wire_api` names it. */
  readonly wire: string;
  readonly encoder: Encoder;
  readonly client: ModelClient;
  readonly capabilities: ProviderCapabilities;
}

/** What the engine asks of a provider instead of its name. */
export interface ProviderCapabilities {
  /** How it compacts by itself: not at all, in a step that ends in a trigger, or at an endpoint of its own. */
  readonly remoteCompaction: 'none' | 'stream' | 'unary';
  /** Whether a tool may take free text that is held to a grammar. `none`: every tool is a function. */
  readonly freeformTools: 'grammar' | 'none';
  /** How requests of an account may be compressed. Absent: not at all. */
  readonly requestCompression?: 'zstd';
  /**
   * Whether a request may say how long its answer may be. `with-key`: not where an account with a plan pays. Absent: it
   * may not.
   */
  readonly outputLimit?: 'always' | 'with-key';
  /** Whether a request may name an access program. */
  readonly accessPrograms: 'known' | 'unknown';
}

/** Names bytes by what they are. */
export interface Digester {
  /**
   * SHA-256 of a request body, in hexadecimal digits. The pieces of the body before that stand at the beginning of this
   * one are not read again, so a body that only grew costs what is new to it.
   */
  body(pieces: readonly Uint8Array[]): string;
  /** The first eight digits of the SHA-256 of the bytes: they distinguish the items of a request. */
  short(bytes: Uint8Array): string;
}
