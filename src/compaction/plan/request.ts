import type { ModelFailure } from '../../ports/model-client.ts';
import type { Item } from '../../protocol/item.ts';
import type { JsonObject } from '../../protocol/json.ts';

/**
 * One request of a compaction. It is a sampling request with the same instructions, tools, cache key and tier; its input
 * is `head`, then the items `from` to `to` of the projected history, then `tail`. No tool may be called.
 */
export interface CompactionRequest {
  readonly strategy: 'structured' | 'plain' | 'remote';
  readonly from: number;
  /** The first item that is not sent. */
  readonly to: number;
  /**
   * Places in the projected history of what does not fit: sent as `stubOf` makes it, and left out where that gives
   * nothing.
   */
  readonly stubbed: readonly number[];
  /** Notes about what stood before the range, when history is taken in parts. */
  readonly head: readonly RequestMessage[];
  readonly tail: readonly RequestMessage[];
  /** The answer must be JSON of this shape, where the provider can promise that. */
  readonly outputSchema?: JsonObject;
}

export interface RequestMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/** What came of a request. Connections that fail for a while have been tried again before. */
export type CompactionOutcome =
  /** `text`: all that the messages of this response say, joined; empty when there was none. */
  | { readonly kind: 'answer'; readonly text: string; readonly items: readonly Item[] }
  | { readonly kind: 'failed'; readonly failure: ModelFailure };
