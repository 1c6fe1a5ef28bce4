import type { Entry, Origin, QuotedWords, SummaryPlace } from '../../history/entry.ts';
import type { Item } from '../../../protocol/item.ts';
import type { ProviderName } from '../../../protocol/provider-name.ts';

/** What may become the history of the thread. Context about the world is not part of it. */
export interface Candidate {
  /** `mechanical`: built by code alone. */
  readonly strategy: 'structured' | 'plain' | 'remote' | 'mechanical';
  /** Oldest first; the summary is the last. */
  readonly entries: readonly CandidateEntry[];
  /** The summary message as the model will read it; empty where the provider keeps it to itself. */
  readonly message: string;
  readonly tokens: number;
  /** Messages of the user that are still there word for word, and those that are not. */
  readonly words: { readonly kept: number; readonly cut: number; readonly dropped: number };
  /** What was wrong with the model's answer and was put right by code, in sentences for people. */
  readonly mended: readonly string[];
}

export type CandidateEntry =
  | { readonly kind: 'kept'; readonly entry: Entry }
  | {
      readonly kind: 'made';
      readonly item: (id: string) => Item;
      readonly origin: Origin;
      /** Where the text quotes the user. */
      readonly words?: readonly QuotedWords[];
      /** Where the text holds a model's summary. */
      readonly summary?: SummaryPlace;
      /** Of an opaque item. */
      readonly maker?: ProviderName;
    };

/** An answer that no checkpoint can be made from. Each fault is a sentence for the model that gave it. */
export interface Faulty {
  readonly kind: 'faulty';
  readonly faults: readonly string[];
}

export function faulty(...faults: readonly string[]): Faulty {
  return { kind: 'faulty', faults };
}

export function isFaulty(result: Candidate | Faulty): result is Faulty {
  return 'faults' in result;
}
