import type { CheckpointReport } from '../protocol/checkpoint-report.ts';
import type { Outcome } from '../protocol/outcome.ts';

/** What a compaction that somebody asked for came to. Unless it was installed, the history stands as it was. */
export type Compacted =
  | { readonly kind: 'installed'; readonly report: CheckpointReport }
  | { readonly kind: 'failed'; readonly outcome: Outcome }
  | { readonly kind: 'aborted' };

/** A thread that can be compacted. */
export interface CompactingThread {
  compact(options: { readonly focus?: string; readonly signal: AbortSignal }): Promise<Compacted>;
}
