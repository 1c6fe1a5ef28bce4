import type { Blobs } from './blobs.ts';
import type { RolloutStore } from './rollout-store.ts';
import type { SnapshotContents } from './snapshot-contents.ts';
import type { ThreadDirectory } from './thread-directory.ts';

/**
 * Everything that threads keep: the files of a home, or a database that several machines share. Threads are named by
 * id; no path crosses this port. What the store refuses by rule is an outcome. Where it cannot be reached or cannot
 * write, its methods reject with a `Fault`.
 */
export interface ThreadStore {
  readonly rollouts: RolloutStore;
  readonly directory: ThreadDirectory;
  readonly blobs: Blobs;
  readonly contents: SnapshotContents;
}
