import type { Goal, GoalStatus } from '../protocol/goal.ts';

/** The goal of a thread, for its tools. What they change is a line at once. */
export interface GoalOfThread {
  /** As it is now. Undefined: the thread never had one. */
  readonly current: Goal | undefined;
  /** In the place of one that is complete. */
  create(wanted: Pick<Goal, 'objective' | 'tokenBudget'>): Goal;
  /** Undefined: there is none. */
  change(status: GoalStatus): Goal | undefined;
}
