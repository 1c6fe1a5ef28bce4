/** How much may be kept for undo. */
export interface UndoLimits {
  /** A larger file is left out of snapshots. */
  readonly maxFileBytes: number;
  /** What all snapshots of one workspace may take. One snapshot adds at most half of it. */
  readonly maxTotalBytes: number;
}

const mebibyte = 1024 * 1024;

export const defaultUndoLimits: UndoLimits = { maxFileBytes: 10 * mebibyte, maxTotalBytes: 1024 * mebibyte };
