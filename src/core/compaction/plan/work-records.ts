import type { ChangedFile, PlanStep, FilePutBack } from '../../../protocol/turn-item.ts';

/** Records of the work by tools. Code puts them into every checkpoint, unseen by summarisers. */
export interface WorkRecords {
  /** The newest plan; absent if there is none, or if it is complete and the user has written since. */
  readonly plan?: WorkPlan;
  /** Files that patches changed, in the order of their first change, each once with its newest kind. */
  readonly files: readonly ChangedFile[];
  /** Files that the user restored and no later patch changed. Absent: none. */
  readonly putBack?: readonly FilePutBack[];
  readonly number?: number;
  readonly proposed?: readonly ProposedPlan[];
}

export type ProposedPlan = { readonly callId: string; readonly steps: readonly PlanStep[] };

export interface WorkPlan {
  readonly steps: readonly PlanStep[];
  readonly number?: number;
  readonly isOlder: boolean;
  /** Absent: a message of the user followed. */
  readonly olderThan?: PlanOutdatedBy;
}

/** `stop`: its turn ended too early. `program`: the driving program wrote. `shell`: the user ran a command. */
export type PlanOutdatedBy = (typeof planOutdatedByKinds)[number];
export const planOutdatedByKinds = ['stop', 'program', 'shell'] as const;

export function markPlanOutdated(work: WorkRecords, than: PlanOutdatedBy | 'user'): WorkRecords {
  const { plan } = work;
  if (plan === undefined) return work;
  const olderThan = than === 'user' || (plan.isOlder && plan.olderThan === undefined) ? undefined : than;
  return { ...work, plan: { ...plan, isOlder: true, olderThan } };
}

export const noWork: WorkRecords = { files: [] };
