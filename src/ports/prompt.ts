import type { InputWriter } from '../protocol/input-writer.ts';
import type { Item } from '../protocol/item.ts';
import type { JsonObject } from '../protocol/json.ts';

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
