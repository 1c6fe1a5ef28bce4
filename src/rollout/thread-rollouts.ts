import type { RolloutStore } from '../ports/rollout-store.ts';
import type { Seals } from '../ports/seals.ts';
import type { ThreadStore } from '../ports/thread-store.ts';
import { withBlobs } from './blobs/blobs-store.ts';
import { withSeals } from './sealed-store.ts';

/** The rollouts of a store as threads use them: lines are sealed, and what is large is kept in blobs. */
export function threadRollouts({ rollouts, blobs }: ThreadStore, seals: Seals): RolloutStore {
  return withSeals(withBlobs(rollouts, blobs), seals);
}
