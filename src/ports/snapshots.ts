import type { Touched } from './change-watch.ts';
import type { Outcome } from '../protocol/outcome.ts';

/** Copies of a workspace as it is at a moment, from which its files can be brought back. */
export interface Snapshots {
  /**
   * What stands in the workspace when nothing changes it until the promise resolves. Never rejects: what keeps a
   * snapshot from being taken is no reason to stop a turn. Ends soon when the signal aborts, with `missing`; with the
   * reason `notNeeded` what was learnt so far is thrown away.
   */
  take(request: SnapshotRequest, signal: AbortSignal): Promise<Snapshot>;
}

export const notNeeded = 'not needed';

export interface SnapshotRequest {
  /** The workspace's folder. */
  readonly root: string;
  /** Places that no command may read: no copy of them is made. */
  denies(path: string): boolean;
  /** An earlier snapshot, and what calls did since: then the result separates their work from others'. */
  readonly since?: { readonly snapshot: SnapshotTaken; readonly touched: readonly Touched[] };
}

export type Snapshot = SnapshotTaken | { readonly kind: 'missing'; readonly root: string; readonly outcome: Outcome };

export interface SnapshotTaken {
  readonly kind: 'taken';
  /** Without links in it. */
  readonly root: string;
  /** The name of everything in it. */
  readonly tree: string;
  /** What others alone would have left of the earlier snapshot. Absent when it was not asked for or is unknown. */
  readonly others?: string;
  readonly files: number;
  readonly bytes: number;
  readonly git: GitSights;
  /** What is not in it: files over a limit, files that could not be read. Paths below the root. */
  readonly skipped: readonly { readonly path: string; readonly why: string }[];
}

/** What a walk saw of git repositories. Paths are below the root, which is ''. */
export interface GitSights {
  /** Folders with a `.git` in them. */
  readonly folders: readonly string[];
  /** Folders that are repositories themselves. */
  readonly bare: readonly string[];
  /** Folders that the walk did not enter. */
  readonly notEntered: readonly string[];
}
