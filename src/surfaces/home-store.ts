import { systemPrograms } from '../exec/programs.ts';
import { homeSeals } from '../gather/home-seals.ts';
import { systemClock } from '../gather/system-clock.ts';
import { systemIds } from '../gather/system-ids.ts';
import type { Seals } from '../ports/seals.ts';
import type { ThreadStore } from '../ports/thread-store.ts';
import { createBlobs } from '../rollout/blobs.ts';
import { createFileDirectory } from '../rollout/file-directory.ts';
import { createFlock } from '../rollout/flock.ts';
import { nodeFiles } from '../rollout/node-files.ts';
import { createRolloutStore, type RolloutStoreOptions } from '../rollout/store.ts';

export interface HomeStore {
  readonly store: ThreadStore;
  readonly seals: Seals;
  /** The files themselves, for what is done to them apart from threads: to compress them, to collect what is unused. */
  readonly disk: RolloutStoreOptions;
}

export interface HomeStoreOptions {
  /** A program that only reads needs none. */
  readonly maxBlobBytes: number;
  /** Default: the home. */
  readonly codexIndexFolder?: string | undefined;
}

/** The threads under a home, with what they keep beside their files. */
export function createHomeStore(home: string, { maxBlobBytes, codexIndexFolder = home }: HomeStoreOptions): HomeStore {
  const disk = {
    home,
    files: nodeFiles,
    locks: createFlock({ clock: systemClock, programs: systemPrograms }),
    clock: systemClock,
  };
  const ids = systemIds(systemClock);
  const store = {
    rollouts: createRolloutStore(disk),
    directory: createFileDirectory({ ...disk, codexIndexFolder }),
    blobs: createBlobs({ ...disk, ids, maxBytes: maxBlobBytes }),
    contents: {
      // Loaded when the first snapshot is wanted.
      of: async (root: string) =>
        (await import('../workspace/file-contents.ts')).createFileContents({ home, ids }).of(root),
    },
  };
  return { store, seals: homeSeals(home), disk };
}
