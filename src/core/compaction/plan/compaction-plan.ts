import type { ModelFailure } from '../../../ports/model.ts';
import type { TurnId } from '../../../protocol/ids.ts';
import type { Item } from '../../../protocol/item.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { ProviderName } from '../../../protocol/provider-name.ts';
import type { Window } from '../../envelope/window.ts';
import { checkpointSummaryFragment } from '../../fragments/checkpoint-work.ts';
import type { Entry } from '../../history/entry.ts';
import { entries, type History } from '../../history/history.ts';
import { isCheckpointItem, isOpaqueCheckpoint } from '../../history/sent-items.ts';
import type { WorkRecords } from './work-records.ts';

/** The budgets that checkpoints are about. */
export type CompactionWindow = Pick<
  Window,
  'effective' | 'autoCompact' | 'autoCompactScope' | 'compactionReserve' | 'checkpoint'
>;

/** Who wanted it. */
export type CompactionTrigger = 'manual' | 'auto';

/** Why it is made. The first four are words that other programs know. */
export type CompactionReason =
  | 'user_requested'
  | 'context_limit'
  | 'model_downshift'
  | 'comp_hash_changed'
  /** The provider refused a request as too long. */
  | 'context_overflow'
  /** The provider refused a request that may have been too long, and did not say why. */
  | 'unexplained_refusal'
  /** Another provider takes over, which cannot read a checkpoint of the one before. */
  | 'provider_changed';

/** Where in the life of the thread. `post_turn`: the turn has ended and the next one should not have to wait. */
export type CompactionPhase = 'standalone_turn' | 'pre_turn' | 'mid_turn' | 'post_turn';

/** How the model is asked. `auto` of the configuration means `structured`. */
export type CompactionStrategy = 'structured' | 'plain' | 'remote';

/** What a compaction shall do, decided before anything is asked. Every number comes from the envelope's window. */
export interface CompactionPlan {
  readonly turnId: TurnId;
  readonly trigger: CompactionTrigger;
  readonly reason: CompactionReason;
  readonly phase: CompactionPhase;
  readonly strategy: CompactionStrategy;
  /** How a provider makes a checkpoint itself: in one answer, or as a stream, which is the default. */
  readonly remoteForm?: 'unary' | 'stream';
  /** The model that is asked. */
  readonly model: string;
  /** Who runs it: the maker of what the answer holds encrypted. */
  readonly provider?: ProviderName;
  /** The number of the turn in which the checkpoint is made. */
  readonly number?: number;
  /** A command that prints the whole thread, for the marks of what is left out. */
  readonly readAll: string;
  /** It stands in the place of an opaque checkpoint: that it can be read is the gain, and it need not be smaller. */
  readonly mayGrow?: true;
  /** What the user wants the checkpoint to keep in view. */
  readonly focus?: string;
  /** From the configuration: replaces the plain prompt, and joins the focus of the structured one. */
  readonly prompt?: string;
  readonly budget: CompactionBudget;
  /**
   * `next-turn`: no context is sent, and the baseline is cleared, so that the next turn sends all of it.
   * `before-last-words`: the turn continues, and what the model must know stands before the last words of the user.
   */
  readonly placement: 'next-turn' | 'before-last-words';
}

/** In tokens. */
export interface CompactionBudget {
  /** What a request for a checkpoint may weigh, instructions and tools included, the answer not. */
  readonly request: number;
  /** What instructions and tools weigh in every such request. */
  readonly fixed: number;
  /** For the texts of the user in the checkpoint. */
  readonly words: number;
  /** For the pictures of the user. */
  readonly pictures: number;
  /** For what the model writes. */
  readonly answer: number;
  /** For what code puts in beside: the plan, the files, the last results. */
  readonly records: number;
  /** What the next request would hold as things stand, instructions and tools aside: history, and context that is due. */
  readonly before: number;
  /** What it holds beside the checkpoint: all that is sent again about the world. */
  readonly context: number;
  /** What a checkpoint may weigh: its parts are cut until it does. */
  readonly most: number;
  /** A checkpoint that weighs more is not installed: with the context beside it, it would save too little. */
  readonly gain: number;
}

/** What a checkpoint is made from. */
export interface CompactionSource {
  readonly history: History;
  /** The same as it is sent: `project` of the history. Requests name ranges of it. */
  readonly input: readonly Item[];
  readonly work: WorkRecords;
  /** Turns that ended by a failure. */
  readonly failed?: readonly TurnId[];
}

/**
 * One request of a compaction. It is a sampling request with the same instructions, tools, cache key and tier; its input
 * is `head`, then the items `from` to `to` of the projected history, then `tail`. No tool may be called.
 */
export interface CompactionRequest {
  readonly strategy: 'structured' | 'plain' | 'remote';
  readonly from: number;
  /** The first item that is not sent. */
  readonly to: number;
  /** Places of what does not fit: sent as `stubOf` makes it, and left out where that gives nothing. */
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

/** A refused request says only that it was too much. */
export function isRefusal({ reason }: Pick<CompactionPlan, 'reason'>): boolean {
  return reason === 'context_overflow' || reason === 'unexplained_refusal';
}

/** Whether a checkpoint could hold less than what stands. By hand, a copy of an older one alone is no gain. */
export function anythingToCompact(
  { trigger, mayGrow }: Pick<CompactionPlan, 'trigger' | 'mayGrow'>,
  { history }: Pick<CompactionSource, 'history'>,
): boolean {
  const all = entries(history);
  const newest = all.findLastIndex(isCheckpoint);
  if (newest !== -1 && (trigger === 'auto' || mayGrow === true)) return true;
  return all.slice(newest + 1).some(({ origin }) => origin.family !== 'context');
}

function isCheckpoint({ item, origin }: Entry): boolean {
  if (isCheckpointItem(item)) return true;
  return origin.family === 'context' && origin.kinds.includes(checkpointSummaryFragment.id);
}

/** By hand, a checkpoint that can be read may grow where it takes the place of an opaque one. */
export function allowGrowthByHand<Wanted extends Pick<CompactionPlan, 'trigger' | 'focus'>>(
  wanted: Wanted,
  { history }: Pick<CompactionSource, 'history'>,
  strategy: CompactionPlan['strategy'] | undefined,
): Wanted & Pick<CompactionPlan, 'mayGrow'> {
  const isReadable = strategy !== 'remote' || wanted.focus !== undefined;
  if (wanted.trigger === 'auto' || !isReadable) return wanted;
  return entries(history).some(({ item }) => isOpaqueCheckpoint(item)) ? { ...wanted, mayGrow: true } : wanted;
}
