import type { Item } from '../protocol/item.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { RateLimits } from '../protocol/rate-limits.ts';
import type { Usage } from '../protocol/usage.ts';
import type { InputAuthor } from '../protocol/user-input.ts';

/**
 * Sends one encoded request and yields the answer. The iteration never throws: it ends with exactly one `completed` or
 * `failed`, at once with the code `aborted` when the signal aborts. Abandoning it closes the connection.
 */
export interface ModelClient {
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** Lets the provider make a checkpoint. Never rejects; stops when the signal aborts. For the form `unary`. */
  compact?(request: ModelRequest, signal: AbortSignal): Promise<CompactAnswer>;
  /** Authentication of the next request. Never rejects. */
  authMode(): Promise<AuthMode>;
  /** The length field for this model's answers, if the server refused the usual one. */
  lengthField?(model: string): OutputLimitField | undefined;
  /** Opens connections ahead of a request. Sends nothing of the conversation. */
  prewarm?(request: Pick<ModelRequest, 'headers'>): void;
  close?(): void;
}

/** `chatgpt`: a login with an account, whose plan pays. `none`: Capstan knows no key, even if headers contain one. */
export type AuthMode = 'api-key' | 'chatgpt' | 'none';

export type CompactAnswer =
  | { readonly kind: 'compacted'; readonly output: readonly Item[]; readonly usage?: Usage }
  | { readonly kind: 'failed'; readonly failure: ModelFailure };

export interface ModelRequest {
  readonly body: readonly Uint8Array[];
  /** The content of the body, for requests of the conversation: a client may send only what is new to the server. */
  readonly prompt?: ModelPrompt;
  readonly headers: Readonly<Record<string, string>>;
  /** Nothing is sent before this resolves, but the connection may be opened. A rejection counts as an abort. */
  readonly after?: Promise<void>;
  /** Called when the system has the request, and again if it is resent. `frame`: was sent instead of the body. */
  readonly onSent?: (frame?: SentFrame) => void;
  /** Called before the client waits to resend the request by itself; the server has not begun to answer. */
  readonly onRetry?: (retry: RequestRetry) => void;
  /** `checkpoint`: the request ends in a trigger, and the provider compacts by itself. Absent: the model answers. */
  readonly wants?: 'checkpoint';
  /** For servers that have several kinds of machines. */
  readonly routing?: { readonly model: string; readonly tier?: string };
  /** Network limit for the answer, where it is below the general one. */
  readonly maxBytes?: number;
}

/** Why and when a request is resent: the `attempt`th of `of` times, both without the first request. */
export interface RequestRetry {
  readonly failure: ModelFailure;
  readonly waitMs: number;
  readonly attempt: number;
  readonly of: number;
  /** If this last retry fails, the failure is final: the caller does not try again. */
  readonly isFinal?: true;
}

export type SentFrame = { readonly link?: FrameLink; readonly items: number; readonly content: readonly Uint8Array[] };

export type ModelEvent =
  /** The provider's limits. Comes first, also before a refusal. */
  | { readonly kind: 'rate-limits'; readonly limits: RateLimits }
  | { readonly kind: 'server-model'; readonly model: string }
  | { readonly kind: 'models-etag'; readonly etag: string }
  | { readonly kind: 'created'; readonly responseId: string }
  | { readonly kind: 'text-delta'; readonly itemId: string; readonly delta: string }
  /** Part of the reasoning summary; `part` counts from 0. */
  | { readonly kind: 'reasoning-delta'; readonly itemId: string; readonly part: number; readonly delta: string }
  | { readonly kind: 'item'; readonly item: Item }
  /** For the user, about the connection to the provider; does not affect the answer. */
  | { readonly kind: 'notice'; readonly outcome: Outcome }
  /** `endTurn` false means that the model wants another step although it called no tool. */
  | { readonly kind: 'completed'; readonly responseId: string; readonly usage?: Usage; readonly endTurn?: boolean }
  /** `usage`: the cost of an incomplete answer, where the provider counted it. */
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
  | 'answer-too-large'
  | 'answer-too-slow'
  /** Not sent, as it could exceed a limit that the user set. */
  | 'spending-limit'
  | 'provider-faulty';

/** `retry` says whether sending again may help, and how long to wait if the server said so. */
export interface ModelFailure extends Outcome<ModelFailureCode> {
  readonly retry: 'never' | RetryAdvice;
  /** The matching row of the table of causes. Absent: none. */
  readonly cause?: string;
  readonly status?: number;
  /** When the exceeded limit resets, in milliseconds since the epoch, if the server said so. */
  readonly resetsAt?: number;
  /** The window in tokens that the server names when it refuses a request as too long. */
  readonly window?: number;
  /** The server refused the request itself (4xx) without saying what is wrong with it. */
  readonly unexplained?: true;
}

export interface RetryAdvice {
  /** The next request is worded differently, so this one does not count as an attempt. */
  readonly otherwise?: true;
  /** The wait that the server asked for. */
  readonly afterMs?: number;
  /** The wait that the server asked for, if longer than a client should wait. */
  readonly askedMs?: number;
}

/** A tool as the model sees it, in the Responses dialect. */
export type ToolSpec = JsonObject & { readonly type: string };

/** A request without instructions, tools and input, stored so that it can be rebuilt without configuration. */
export interface RequestOptions {
  readonly model: string;
  readonly effort?: string;
  readonly summary?: string;
  readonly verbosity?: string;
  readonly serviceTier?: string;
  /** Absent, like the next one: the server decides. */
  readonly temperature?: number;
  readonly stop?: readonly string[];
  readonly outputSchema?: JsonObject;
  readonly cyberAccessProgram?: string;
  /** Most tokens of an answer, for formats that must name it. */
  readonly maxOutputTokens?: number;
  /** Most tokens of this answer under a spending limit. Every format names it. */
  readonly outputLimit?: number;
  /** The length field in Chat Completions, where the server refused the usual one. */
  readonly lengthField?: OutputLimitField;
  readonly parallelToolCalls: boolean;
  /** The model sees the tools but may call none. Absent: it decides. */
  readonly toolChoice?: 'none';
  /** The body is for the compact endpoint. Absent: for a step. */
  readonly form?: 'compact';
  /** Stable over the thread: lets the provider find the cached prefix. */
  readonly cacheKey: string;
  /** Labels for the provider's logs. The only part that may change between requests without a change of content. */
  readonly labels: Readonly<Record<string, string>>;
}

export type OutputLimitField = 'max_tokens' | 'max_completion_tokens';

export interface ModelPrompt {
  readonly options: RequestOptions;
  readonly instructions: string;
  readonly tools: readonly ToolSpec[];
  /** Model-visible items, oldest first, ready to be sent. */
  readonly input: readonly Item[];
  /** Authors of messages in the user's role, if not the user. May hold items that are not in the input. */
  readonly writers?: ReadonlyMap<Item, InputAuthor>;
}

/**
 * Encodes a prompt as a request body. Equal prompts give equal bytes, whatever was encoded before. Longer input must
 * keep the bytes of the shorter one as a prefix, except for closing quotes and brackets and cache marks, and costs only
 * what is new. Where a message may continue, a text that a picture joins becomes a list of parts.
 */
export interface Encoder {
  /** Names the format and its revision. Stored with each request; bytes may only change together with it. */
  readonly version: string;
  /** The pieces of the body, in order. The caller must not change them. */
  body(prompt: ModelPrompt): readonly Uint8Array[];
  item(item: Item): Uint8Array;
  /** For a connection that remembers the last answer: the whole request, or only its new part. Absent: unsupported. */
  frame?(prompt: ModelPrompt, link: FrameLink | undefined): readonly Uint8Array[];
}

export interface FrameLink {
  readonly previous: string;
  /** The number of input items known there, including those of the answer. */
  readonly from: number;
}

export interface ModelProvider {
  readonly wire: string;
  readonly encoder: Encoder;
  readonly client: ModelClient;
  readonly capabilities: ProviderCapabilities;
}

/** The engine checks these instead of the provider's name. */
export interface ProviderCapabilities {
  /** Built-in compaction: none, in a step that ends in a trigger, or at an endpoint of its own. */
  readonly remoteCompaction: 'none' | 'stream' | 'unary';
  /** `grammar`: a tool may take free text constrained by a grammar. `none`: every tool is a function. */
  readonly freeformTools: 'grammar' | 'none';
  /** Compression for requests of an account. Absent: none. */
  readonly requestCompression?: 'zstd';
  /** When a request may limit its answer's length. `with-key`: not where an account with a plan pays. Absent: never. */
  readonly outputLimit?: 'always' | 'with-key';
  /** `known`: a request may name an access program. */
  readonly accessPrograms: 'known' | 'unknown';
}

export interface RequestDigester {
  /** SHA-256 of a body, in hexadecimal digits. Leading pieces shared with the previous body are not read again. */
  body(pieces: readonly Uint8Array[]): string;
  /** The first eight digits of the SHA-256, to distinguish the items of a request. */
  short(bytes: Uint8Array): string;
}
