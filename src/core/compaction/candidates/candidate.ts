import type { HistoryEntry, EntryOrigin, QuotedMessage, SummaryRange } from '../../history/entry.ts';
import type { Item } from '../../../protocol/item.ts';
import type { ProviderName } from '../../../protocol/provider-name.ts';

export interface Candidate {
  readonly strategy: 'structured' | 'plain' | 'remote' | 'mechanical';
  /** Oldest first; the summary is the last. */
  readonly entries: readonly CandidateEntry[];
  /** The summary message as the model will read it; empty if the provider keeps it to itself. */
  readonly message: string;
  readonly tokens: number;
  readonly words: { readonly kept: number; readonly cut: number; readonly dropped: number };
  /** Faults in the model's answer that code repaired, as sentences for people. */
  readonly mended: readonly string[];
}

export type CandidateEntry =
  | { readonly kind: 'kept'; readonly entry: HistoryEntry }
  | {
      readonly kind: 'made';
      readonly item: (id: string) => Item;
      readonly origin: EntryOrigin;
      readonly words?: readonly QuotedMessage[];
      readonly summary?: SummaryRange;
      readonly maker?: ProviderName;
    };

/** An unusable answer. Each fault is a sentence for the model that gave it. */
export type FaultyAnswer = { readonly kind: 'faulty'; readonly faults: readonly string[] };
export const faultyAnswer = (...faults: readonly string[]): FaultyAnswer => ({ kind: 'faulty', faults });
export const isFaultyAnswer = (result: Candidate | FaultyAnswer): result is FaultyAnswer => 'faults' in result;
