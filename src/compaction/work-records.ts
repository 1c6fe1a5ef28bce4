import type { ChangedFile, PlanStep } from '../protocol/turn-item.ts';

/** What tools wrote down about the work. No summariser touches it: code puts it into every checkpoint. */
export interface WorkRecords {
  /** The newest plan; absent when there is none, or when all of it is done and a newer request came. */
  readonly plan?: readonly PlanStep[];
  /** Files that patches changed, in the order of their first change, each once with its newest kind. */
  readonly files: readonly ChangedFile[];
}

export const noWork: WorkRecords = { files: [] };
