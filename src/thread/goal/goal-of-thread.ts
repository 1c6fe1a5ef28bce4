import type { GoalOfThread } from '../../ports/goals.ts';
import { defined } from '../../protocol/defined.ts';
import { usedTokens } from '../../protocol/usage.ts';
import { goalNow, goalUpdated, type RecordedGoal } from '../../state/goals.ts';
import type { Turn } from '../parts/parts.ts';

type GoalTurn = Pick<Turn, 'log' | 'parts' | 'threadId' | 'turnId' | 'envelope' | 'memory'>;

/**
 * Whether a turn works on a goal: only one whose model can end it. An agent that is a fork, an ephemeral thread, a thread
 * whose gate was closed and one without the tool may have a goal in their lines, and leave it as it is.
 */
export function hasGoals({ envelope }: Pick<Turn, 'envelope'>): boolean {
  return envelope.capabilities.tools.includes('update_goal');
}

/** The goal with what it has used by now. What is spent on a plan is not spent on the goal. */
export function currentGoal(turn: GoalTurn): RecordedGoal | undefined {
  const { log, parts, envelope } = turn;
  if (!hasGoals(turn)) return undefined;
  const { goal, usage } = log.state;
  if (goal !== undefined && isPlanning(turn)) return { ...goal, spent: usedTokens(usage.total) };
  const moment = { total: usage.total, at: parts.clock.now(), from: envelope.telemetry.startedAt };
  return goal === undefined ? undefined : goalNow(goal, moment);
}

export function isPlanning({ envelope }: Pick<Turn, 'envelope'>): boolean {
  return envelope.modes.collaboration.mode === 'plan';
}

export function recordGoal({ log, threadId, turnId }: GoalTurn, goal: RecordedGoal): void {
  log.record(goalUpdated(threadId, turnId, goal));
}

export function goalOfThread(turn: GoalTurn): GoalOfThread {
  return {
    get current() {
      return currentGoal(turn);
    },
    create({ objective, tokenBudget }) {
      const at = Math.floor(turn.parts.clock.now() / 1000);
      const spent = usedTokens(turn.log.state.usage.total);
      const times = { tokensUsed: 0, timeUsedSeconds: 0, createdAt: at, updatedAt: at, spent };
      const goal: RecordedGoal = { objective, status: 'active', ...times, ...defined({ tokenBudget }) };
      recordGoal(turn, goal);
      return goal;
    },
    get isAlone() {
      return turn.memory.rounds.alone;
    },
    change(status, { more } = {}) {
      const now = currentGoal(turn);
      if (now === undefined) return undefined;
      const { reason: _reason, ...goal } = now;
      const at = Math.floor(turn.parts.clock.now() / 1000);
      const budget = more === undefined ? {} : { tokenBudget: goal.tokensUsed + more, share: more };
      const changed = { ...goal, ...budget, status, updatedAt: at, spent: usedTokens(turn.log.state.usage.total) };
      recordGoal(turn, changed);
      return changed;
    },
  };
}
