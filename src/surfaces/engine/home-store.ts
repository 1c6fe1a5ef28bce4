import { systemPrograms } from '../../exec/processes/programs.ts';
import { homeSeals } from '../../gather/system/home-seals.ts';
import { systemClock } from '../../gather/system/system-clock.ts';
import { systemIds } from '../../gather/system/system-ids.ts';
import type { Ids } from '../../ports/ids.ts';
import type { RolloutStore } from '../../ports/rollout-store.ts';
import type { Seals } from '../../ports/seals.ts';
import type { ThreadStore } from '../../ports/thread-store.ts';
import { createBlobs } from '../../rollout/blobs/blobs.ts';
import { createFileDirectory } from '../../rollout/file-directory.ts';
import { createFlock } from '../../rollout/disk/flock.ts';
import { nodeFiles } from '../../rollout/disk/node-files.ts';
import { createRolloutStore, type RolloutStoreOptions } from '../../rollout/store.ts';
import { threadRollouts } from '../../rollout/sealed-store.ts';
import type { EngineOptions } from './engine-options.ts';

/** Where threads are kept: the files of a home, or the store of a program. */
export interface HomeStore {
  readonly home: string;
  /** By which other homes are found. */
  readonly user: Pick<EngineOptions, 'env' | 'osHome'>;
  readonly threadStore: ThreadStore;
  /** The rollouts of `threadStore`, as threads use them. */
  readonly store: RolloutStore;
  readonly seals: Seals;
  readonly ids: Ids;
  readonly locks: RolloutStoreOptions['locks'];
  /** The files themselves, for what is done to them apart from threads. Absent: a program keeps the threads. */
  readonly disk?: RolloutStoreOptions;
  /** What all blobs together may take on the disk. */
  readonly maxBlobBytes: number;
}

interface HomeStoreOptions
  extends Pick<EngineOptions, 'env' | 'osHome'>, Partial<Pick<EngineOptions, 'store' | 'seals'>> {
  /** A program that only reads needs none. */
  readonly maxBlobBytes: number;
}

export function createHomeStore(home: string, options: HomeStoreOptions): HomeStore {
  const { maxBlobBytes, env, osHome, store } = options;
  const locks = createFlock({ clock: systemClock, programs: systemPrograms });
  const ids = systemIds(systemClock);
  // Other engines of a store that was given may have other keys than this home.
  const seals =
    options.seals ?? (store === undefined ? homeSeals(home) : { ...homeSeals(home), otherKeys: 'possible' });
  const disk = { home, files: nodeFiles, locks, clock: systemClock };
  const threadStore = store ?? {
    rollouts: createRolloutStore(disk),
    directory: createFileDirectory({ ...disk, codexIndexFolder: env['CODEX_SQLITE_HOME'] ?? home }),
    blobs: createBlobs({ ...disk, ids, maxBytes: maxBlobBytes }),
    contents: {
      // Loaded when the first snapshot is wanted.
      of: async (root: string) =>
        (await import('../../workspace/file-contents.ts')).createFileContents({ home, ids }).of(root),
    },
  };
  const own = {
    home,
    user: { env, osHome },
    threadStore,
    store: threadRollouts(threadStore, seals),
    seals,
    ids,
    locks,
    maxBlobBytes,
  };
  return store === undefined ? { ...own, disk } : own;
}
