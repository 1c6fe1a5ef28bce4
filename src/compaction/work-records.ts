import type { ChangedFile, PlanStep } from '../protocol/turn-item.ts';

/** What tools recorded about the work. No summariser touches it: code puts it into every checkpoint. */
export interface WorkRecords {
  /** The newest plan; absent when there is none, or when all of it is done and the user has written since. */
  readonly plan?: WorkPlan;
  /** Files that patches changed, in the order of their first change, each once with its newest kind. */
  readonly files: readonly ChangedFile[];
  /** The number of the turn of the user's newest message. */
  readonly number?: number;
}

export interface WorkPlan {
  readonly steps: readonly PlanStep[];
  /** The number of the turn in which it was written. */
  readonly number?: number;
  /** The user has written since, so the plan may be out of date. */
  readonly isOlder: boolean;
}

export const noWork: WorkRecords = { files: [] };
