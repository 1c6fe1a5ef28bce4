import type { ModelFailure } from '../../../ports/model.ts';
import type { TurnId } from '../../../protocol/ids.ts';
import type { Item } from '../../../protocol/item.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { ProviderName } from '../../../protocol/provider-name.ts';
import type { ContextWindow } from '../../envelope/window.ts';
import { checkpointSummaryFragment } from '../../fragments/checkpoint-work.ts';
import type { HistoryEntry } from '../../history/entry.ts';
import { historyEntries, type History } from '../../history/history.ts';
import { isCheckpointItem, isOpaqueCheckpoint } from '../../history/sent-items.ts';
import type { WorkRecords } from './work-records.ts';

export type CompactionWindow = Pick<
  ContextWindow,
  'effective' | 'autoCompact' | 'autoCompactScope' | 'compactionReserve' | 'checkpoint'
>;

export type CompactionTrigger = 'manual' | 'auto';

/** The first four are words that other programs know. */
export type CompactionReason =
  | 'user_requested'
  | 'context_limit'
  | 'model_downshift'
  | 'comp_hash_changed'
  | 'context_overflow'
  /** The refused request may have been too long; the provider gave no reason. */
  | 'unexplained_refusal'
  /** The new provider cannot read checkpoints of the old one. */
  | 'provider_changed';

/** `post_turn`: the turn has ended, and the next one should not have to wait. */
export type CompactionPhase = 'standalone_turn' | 'pre_turn' | 'mid_turn' | 'post_turn';
export type CompactionStrategy = 'structured' | 'plain' | 'remote';

/** The plan is complete before any request. All numbers come from the envelope's window. */
export interface CompactionPlan {
  readonly turnId: TurnId;
  readonly trigger: CompactionTrigger;
  readonly reason: CompactionReason;
  readonly phase: CompactionPhase;
  readonly strategy: CompactionStrategy;
  /** A provider's own checkpoint comes in one answer or, by default, as a stream. */
  readonly remoteForm?: 'unary' | 'stream';
  readonly model: string;
  /** The provider that compacts, and so encrypts the content of its answer. */
  readonly provider?: ProviderName;
  readonly number?: number;
  /** Command that prints the whole thread, for the marks of omitted parts. */
  readonly readAll: string;
  /** It replaces an opaque checkpoint: the gain is that it can be read, and it need not be smaller. */
  readonly mayGrow?: true;
  readonly focus?: string;
  /** From the configuration: replaces the plain prompt, and is added to the focus of the structured one. */
  readonly prompt?: string;
  readonly budget: CompactionBudget;
  /** `next-turn`: clears the baseline, and the next turn sends all context. `before-last-words`: this turn sends it. */
  readonly placement: 'next-turn' | 'before-last-words';
}

/** In tokens. */
export interface CompactionBudget {
  /** Limit for a checkpoint request, including instructions and tools but not the answer. */
  readonly request: number;
  readonly fixed: number;
  readonly words: number;
  readonly pictures: number;
  readonly answer: number;
  readonly records: number;
  /** The next request without compaction, except instructions and tools: history, and context that is due. */
  readonly before: number;
  /** All context about the world that is sent again beside the checkpoint. */
  readonly context: number;
  /** Limit for the checkpoint: its parts are cut to fit. */
  readonly most: number;
  /** A larger checkpoint is not installed: with the context beside it, it would save too little. */
  readonly gain: number;
}

export interface CompactionSource {
  readonly history: History;
  /** History as sent, from its `project`. Requests name ranges of it. */
  readonly input: readonly Item[];
  readonly work: WorkRecords;
  readonly failed?: readonly TurnId[];
}

/** A sampling request: `head`, items `from` to `to` of the projected history, `tail`. Tool calls are forbidden. */
export interface CompactionRequest {
  readonly strategy: CompactionStrategy;
  readonly from: number;
  readonly to: number;
  /** Positions of items that do not fit: sent as `stubItem` makes them, or left out if it returns nothing. */
  readonly stubbed: readonly number[];
  readonly head: readonly RequestMessage[];
  readonly tail: readonly RequestMessage[];
  /** Schema for a JSON answer, if the provider can guarantee it. */
  readonly outputSchema?: JsonObject;
}

export type RequestMessage = { readonly role: 'user' | 'assistant'; readonly text: string };

export type CompactionOutcome =
  /** `text`: all message texts of this response, joined; may be empty. */
  | { readonly kind: 'answer'; readonly text: string; readonly items: readonly Item[] }
  | { readonly kind: 'failed'; readonly failure: ModelFailure };

/** True if compaction follows a refused request: the refusal gives no number of tokens. */
export const isAfterRefusal = ({ reason }: Pick<CompactionPlan, 'reason'>): boolean =>
  reason === 'context_overflow' || reason === 'unexplained_refusal';

type WithHistory = Pick<CompactionSource, 'history'>;

/** False if a checkpoint cannot hold less than history does. By hand, merely copying an older one is no gain. */
export function anythingToCompact(
  plan: Pick<CompactionPlan, 'trigger' | 'mayGrow'>,
  { history }: WithHistory,
): boolean {
  const { trigger, mayGrow } = plan;
  const all = historyEntries(history);
  const isCheckpoint = ({ item, origin }: HistoryEntry): boolean =>
    isCheckpointItem(item) || (origin.family === 'context' && origin.kinds.includes(checkpointSummaryFragment.id));
  const newest = all.findLastIndex(isCheckpoint);
  if (newest !== -1 && (trigger === 'auto' || mayGrow === true)) return true;
  return all.slice(newest + 1).some(({ origin }) => origin.family !== 'context');
}

/** By hand, a readable checkpoint may grow if it replaces an opaque one. */
export function allowGrowthByHand<Wanted extends Pick<CompactionPlan, 'trigger' | 'focus'>>(
  wanted: Wanted,
  { history }: WithHistory,
  strategy: CompactionPlan['strategy'] | undefined,
): Wanted & Pick<CompactionPlan, 'mayGrow'> {
  const isReadable = strategy !== 'remote' || wanted.focus !== undefined;
  if (wanted.trigger === 'auto' || !isReadable) return wanted;
  return historyEntries(history).some(({ item }) => isOpaqueCheckpoint(item)) ? { ...wanted, mayGrow: true } : wanted;
}
