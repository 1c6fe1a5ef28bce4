import { systemPrograms } from '../../exec/programs.ts';
import { homeSeals } from '../../gather/home-seals.ts';
import { systemClock } from '../../gather/system-clock.ts';
import { systemIds } from '../../gather/system-ids.ts';
import type { Blobs } from '../../ports/blobs.ts';
import type { Ids } from '../../ports/ids.ts';
import type { RolloutStore } from '../../ports/rollout-store.ts';
import type { Seals } from '../../ports/seals.ts';
import { createBlobs } from '../../rollout/blobs.ts';
import { withBlobs } from '../../rollout/blobs-store.ts';
import { createFlock } from '../../rollout/flock.ts';
import { nodeFiles } from '../../rollout/node-files.ts';
import { withSeals } from '../../rollout/sealed-store.ts';
import { createRolloutStore, type RolloutStoreOptions } from '../../rollout/store.ts';

export interface HomeStore {
  readonly store: RolloutStore;
  readonly blobs: Blobs;
  readonly seals: Seals;
  readonly disk: RolloutStoreOptions;
  readonly ids: Ids;
  /** What all blobs together may take on the disk. */
  readonly maxBlobBytes: number;
}

/** The threads under a home, with what they keep beside their files. A program that only reads needs no budget. */
export function createHomeStore(home: string, { maxBlobBytes }: { readonly maxBlobBytes: number }): HomeStore {
  const disk = {
    home,
    files: nodeFiles,
    locks: createFlock({ clock: systemClock, programs: systemPrograms }),
    clock: systemClock,
  };
  const ids = systemIds(systemClock);
  const blobs = createBlobs({ ...disk, ids, maxBytes: maxBlobBytes });
  const seals = homeSeals(home);
  return { store: withSeals(withBlobs(createRolloutStore(disk), blobs), seals), blobs, seals, disk, ids, maxBlobBytes };
}
