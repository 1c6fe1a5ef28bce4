import type { ChangedFile, PlanStep, RestoredFile } from '../../../protocol/turn-item.ts';

/** What tools recorded about the work. No summariser touches it: code puts it into every checkpoint. */
export interface WorkRecords {
  /** The newest plan; absent when there is none, or when all of it is done and the user has written since. */
  readonly plan?: WorkPlan;
  /** Files that patches changed, in the order of their first change, each once with its newest kind. */
  readonly files: readonly ChangedFile[];
  /** Files that the user put back since, and no patch changed after that. Absent: none. */
  readonly putBack?: readonly RestoredFile[];
  /** The number of the turn of the user's newest message. */
  readonly number?: number;
  /** Plans in calls that are not answered yet. */
  readonly proposed?: readonly ProposedPlan[];
}

export interface ProposedPlan {
  readonly callId: string;
  readonly steps: readonly PlanStep[];
}

export interface WorkPlan {
  readonly steps: readonly PlanStep[];
  /** The number of the turn in which it was written. */
  readonly number?: number;
  /** Something came after the plan, so it may be out of date. */
  readonly isOlder: boolean;
  /** What that was; absent: a message of the user. */
  readonly olderThan?: PlanOlderThan;
}

/** `stop`: its turn ended before the model was done. `program`: the program that drives the thread said something. `shell`: the user ran a command. */
export type PlanOlderThan = (typeof plansAreOlderThan)[number];

export const plansAreOlderThan = ['stop', 'program', 'shell'] as const;

/** The same once something else came after the plan. A message of the user says most. */
export function withOlderPlan(work: WorkRecords, than: PlanOlderThan | 'user'): WorkRecords {
  const { plan } = work;
  if (plan === undefined) return work;
  const { olderThan, isOlder, ...rest } = plan;
  if (than === 'user' || (isOlder && olderThan === undefined)) return { ...work, plan: { ...rest, isOlder: true } };
  return { ...work, plan: { ...rest, isOlder: true, olderThan: than } };
}

export const noWork: WorkRecords = { files: [] };
