import type {
  CompactionPhase,
  CompactionReason,
  CompactionTrigger,
} from '../../../core/compaction/plan/compaction-plan.ts';
import type { Envelope } from '../../../core/envelope/envelope.ts';
import type { ModelProvider } from '../../../ports/model.ts';
import type { CheckpointReport } from '../../../protocol/thread-event.ts';
import type { Outcome } from '../../../protocol/outcome.ts';

export interface WantedCompaction {
  readonly trigger: CompactionTrigger;
  readonly reason: CompactionReason;
  readonly phase: CompactionPhase;
  readonly focus?: string;
  /** The contract under which the model is asked, if not the turn's: that of the model before a switch. */
  readonly by?: Envelope;
  /**
   * The provider to ask, if not the turn's. It is not asked to make the checkpoint itself (remote compaction), because
   * only it could read that one.
   */
  readonly provider?: ModelProvider;
  /** Aborted when all callers who asked have given up. The turn's own signal ends it as well. */
  readonly signal?: AbortSignal;
  /** Only that model can read all of history. Neither another model nor code replaces it. */
  readonly only?: true;
  /** See the plan. */
  readonly mayGrow?: true;
}

export type UnreadableReason = Extract<CompactionReason, 'provider_changed' | 'comp_hash_changed'>;

export type CompactionResult =
  | { readonly kind: 'installed'; readonly report: CheckpointReport }
  /** History is unchanged. */
  | { readonly kind: 'failed'; readonly outcome: Outcome }
  | { readonly kind: 'aborted' };
