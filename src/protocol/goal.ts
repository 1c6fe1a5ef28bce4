export const goalStatuses = ['active', 'paused', 'blocked', 'usageLimited', 'budgetLimited', 'complete'] as const;

export type GoalStatus = (typeof goalStatuses)[number];

/** What a thread works towards until it is reached, over as many answers as it takes. */
export interface Goal {
  readonly objective: string;
  readonly status: GoalStatus;
  /** Absent: as many as it takes. */
  readonly tokenBudget?: number;
  /** How many tokens it was given last, where that is not the whole budget. */
  readonly share?: number;
  /** Input that was not cached, and output. */
  readonly tokensUsed: number;
  readonly timeUsedSeconds: number;
  /** Seconds since the Unix epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Whether only a message that asks for it lets the thread continue with the goal. */
export function isGoalResting(status: GoalStatus): boolean {
  return status !== 'active' && status !== 'complete';
}
