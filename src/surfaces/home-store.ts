import { systemClock } from '../gather/system-clock.ts';
import { systemIds } from '../gather/system-ids.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { RolloutStore } from '../ports/rollout-store.ts';
import { createBlobs } from '../rollout/blobs.ts';
import { withBlobs } from '../rollout/blobs-store.ts';
import { createFlock } from '../rollout/flock.ts';
import { nodeFiles } from '../rollout/node-files.ts';
import { createRolloutStore } from '../rollout/store.ts';

export interface HomeStore {
  readonly store: RolloutStore;
  readonly blobs: Blobs;
}

/** The threads under a home, with what they keep beside their files. Whoever only reads needs no budget. */
export function createHomeStore(home: string, { maxBlobBytes }: { readonly maxBlobBytes: number }): HomeStore {
  const parts = { home, files: nodeFiles, clock: systemClock };
  const blobs = createBlobs({ ...parts, ids: systemIds(systemClock), maxBytes: maxBlobBytes });
  const rollouts = createRolloutStore({ ...parts, locks: createFlock({ clock: systemClock }) });
  return { store: withBlobs(rollouts, blobs), blobs };
}
