import { goalFragment, type GoalRests } from '../../fragments/events/goal-words.ts';
import type { GoalStatus } from '../../protocol/goal.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { RecordedGoal } from '../../state/goals.ts';
import type { Turn } from '../parts/parts.ts';
import { recordEvent } from '../record/record-context.ts';
import { hasGoals, recordGoal } from './goal-of-thread.ts';

interface Rest {
  readonly why: GoalRests;
  readonly status: GoalStatus;
  /** For the line. */
  readonly reason: string;
  /** For the user. */
  readonly outcome: Outcome;
}

/** The goal continues no more by itself: a line holds it, and the model and the user read it. */
export function restGoal(turn: Turn, goal: RecordedGoal, { why, status, reason, outcome }: Rest): void {
  recordGoal(turn, { ...goal, status, reason });
  if (!hasGoals(turn)) return;
  recordEvent(turn, goalFragment, { about: why, objective: goal.objective, used: goal.tokensUsed });
  turn.log.tell({ kind: 'warning', outcome });
}
