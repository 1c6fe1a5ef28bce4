import type { Goal, GoalStatus } from '../protocol/goal.ts';

/** The goal of a thread, for its tools. What they change is a line at once. */
export interface GoalOfThread {
  /** As it is now. Undefined: the thread never had one. */
  readonly current: Goal | undefined;
  /** In the place of one that is complete. */
  create(wanted: Pick<Goal, 'objective' | 'tokenBudget'>): Goal;
  /** It continues by itself, and the user has said nothing since it began to. */
  readonly isAlone: boolean;
  /** `more`: tokens for it from now on. Absent: its budget stays as it is. Undefined: there is none. */
  change(status: GoalStatus, options?: { readonly more?: number }): Goal | undefined;
}
