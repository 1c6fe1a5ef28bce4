import type { ThreadId } from '../../protocol/ids.ts';
import { collectBlobs, type CollectedBlobs } from './collect-blobs.ts';
import { collectLocks } from './collect-locks.ts';
import type { CollectOptions } from './collect-options.ts';
import { findReferences } from './collect-references.ts';
import { collectReverted, type CollectedRevert } from './collect-reverted.ts';
import { collectTemporary } from './collect-temporary.ts';
import { diskFault } from '../disk/disk-fault.ts';

/** What was removed, or would be. */
export interface Collected {
  readonly dryRun: boolean;
  readonly freedBytes: number;
  readonly blobs: CollectedBlobs;
  readonly snapshotBytes: number;
  readonly lockFiles: number;
  readonly temporaryFiles: number;
  readonly reverted: readonly CollectedRevert[];
  /** Threads that were skipped because a process is writing them. */
  readonly busy: readonly ThreadId[];
  /** Rollouts that could not be read: as long as there are any, nothing that they may refer to is removed. */
  readonly unread: readonly { readonly path: string; readonly why: string }[];
}

/** Removes what nothing refers to. A thread that is being written is not touched. */
export async function collect(options: CollectOptions): Promise<Collected> {
  const { files, home, dryRun } = options;
  try {
    const reverts = options.reverted
      ? await collectReverted(options, await findReferences(files, home))
      : { reverted: [], busy: [] };
    // Again: what was cut off refers to nothing any more.
    const references = await findReferences(files, home);
    const isKnown = references.unread.length === 0;
    const blobs = await collectBlobs(options, isKnown ? references : undefined);
    const snapshots = isKnown && !dryRun ? await options.collectSnapshots?.(references.trees) : undefined;
    const lockFiles = await collectLocks(options);
    const temporary = await collectTemporary(options);
    const snapshotBytes = snapshots?.freedBytes ?? 0;
    const revertedBytes = reverts.reverted.reduce((sum, { bytes }) => sum + bytes, 0);
    return {
      dryRun,
      freedBytes: blobs.freedBytes + snapshotBytes + temporary.bytes + revertedBytes,
      blobs,
      snapshotBytes,
      lockFiles,
      temporaryFiles: temporary.files,
      reverted: reverts.reverted,
      busy: reverts.busy,
      unread: references.unread,
    };
  } catch (error) {
    throw diskFault(error, 'remove', home);
  }
}
