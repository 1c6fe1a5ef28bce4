import type { WorkProgress } from '../../ports/work-progress.ts';
import type { HomeParts } from '../find/names.ts';

export interface CollectOptions extends HomeParts {
  /** What all blobs together may take on the disk. */
  readonly maxBlobBytes: number;
  /** Nothing is removed; the answer says what would be. */
  readonly dryRun: boolean;
  /** Also what reverts have put aside: they can then no longer be undone. */
  readonly reverted: boolean;
  /** Of reading all threads, which takes the most time. */
  readonly progress?: WorkProgress;
  /** Removes snapshots of workspaces that begin with none of these trees. */
  readonly collectSnapshots?: (trees: ReadonlySet<string>) => Promise<{ readonly freedBytes: number }>;
}

/** What is younger stays whatever refers to it: a turn may be about to. */
export const graceMs = 60 * 60 * 1000;
