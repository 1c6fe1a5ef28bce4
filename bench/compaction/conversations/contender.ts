import type { JsonObject } from '../../../src/protocol/json.ts';
import type { Asked } from '../../../test/compaction/conversations/asked.ts';
import type { Summariser } from '../../../test/compaction/conversations/summarisers.ts';

/** A program that compacts conversations. */
export interface Contender {
  readonly name: string;
  /** The window of the model, in tokens. */
  readonly window: number;
  /** With a model that answers like this whenever it is asked for a checkpoint. */
  start(summariser: Summariser): Promise<Started>;
}

export interface Started {
  /** Resumes the conversation under this id, compacts it, and gives the request of the turn after that. */
  prompt(asked: Asked, id: string): Promise<Prompted>;
  close(): Promise<void>;
}

/** The items of the request up to the message that began its turn; or why there is none. */
export type Prompted = { readonly input: readonly JsonObject[] } | { readonly failed: string };
