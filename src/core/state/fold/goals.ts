import { defined, someDefined } from '../../../base/objects.ts';
import { type Goal, goalStatuses } from '../../../protocol/thread.ts';
import { type JsonObject, numberAt, objectAt, stringAt } from '../../../protocol/json.ts';
import { type LineDraft, lineType } from '../../../protocol/line.ts';
import { type Usage, usedTokens } from '../../../protocol/usage.ts';

export interface RecordedGoal extends Goal {
  /** The thread's spending when the line was written, as the goal counts it. Absent if another program wrote it. */
  readonly spent?: number;
  readonly reason?: string;
}

type Spending = { readonly total: Usage; readonly at: number; readonly from: number };
/** The objective is sent again with every round. */
export const longestObjective = 4000;

/** Adds spending since the goal's line, while the goal is active. Times are milliseconds since the Unix epoch. */
export function goalWithSpending(goal: RecordedGoal, { total, at, from }: Spending): RecordedGoal {
  if (goal.status !== 'active') return goal;
  const spent = usedTokens(total);
  const since = Math.max(goal.updatedAt, Math.floor(from / 1000));
  return {
    ...goal,
    tokensUsed: goal.tokensUsed + Math.max(0, spent - (goal.spent ?? spent)),
    timeUsedSeconds: goal.timeUsedSeconds + Math.max(0, Math.floor(at / 1000) - since),
    updatedAt: Math.floor(at / 1000),
    spent,
  };
}

/** Excludes work for others, such as notes about other threads, from the goal's cost. */
export const goalExcludingCost = (goal: RecordedGoal, before: Usage, after: Usage): RecordedGoal =>
  goal.spent === undefined ? goal : { ...goal, spent: goal.spent + usedTokens(after) - usedTokens(before) };

export function goalUpdatedLine(threadId: string, turnId: string, goal: RecordedGoal): LineDraft {
  const payload = { type: 'thread_goal_updated', threadId, turnId, ...goalFields(threadId, goal) };
  return { type: lineType.event, payload };
}

function goalFields(threadId: string, { spent, reason, share, ...goal }: RecordedGoal): JsonObject {
  return { goal: { threadId, ...goal }, capstan: someDefined({ spent, reason, share }) };
}

export function goalFromJson(event: JsonObject | undefined): RecordedGoal | undefined {
  const goal = objectAt(event, 'goal');
  const [objective, status] = [stringAt(goal, 'objective'), goalStatuses.find((each) => each === goal?.['status'])];
  if (objective === undefined || status === undefined || objective.length > longestObjective) return undefined;
  const ours = objectAt(event, 'capstan');
  return {
    objective,
    status,
    tokensUsed: count(goal, 'tokensUsed'),
    timeUsedSeconds: count(goal, 'timeUsedSeconds'),
    createdAt: count(goal, 'createdAt'),
    updatedAt: count(goal, 'updatedAt'),
    ...defined({
      tokenBudget: numberAt(goal, 'tokenBudget'),
      share: numberAt(ours, 'share'),
      spent: numberAt(ours, 'spent'),
      reason: stringAt(ours, 'reason'),
    }),
  };
}

const count = (goal: JsonObject | undefined, key: string): number => Math.max(0, numberAt(goal, key) ?? 0);
export const goalToJson = (goal: RecordedGoal | undefined): JsonObject | undefined => goal && goalFields('', goal);
