import { defined } from '../../../base/objects.ts';
import { goalFragment, type GoalPauseReason } from '../../../core/fragments/events/turns-and-goals.ts';
import { goalWithSpending, goalUpdatedLine, type RecordedGoal } from '../../../core/state/fold/goals.ts';
import type { ThreadGoal } from '../../../ports/threads.ts';
import { stoppedBy } from '../../../protocol/abort.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { GoalStatus } from '../../../protocol/thread.ts';
import { usedTokens } from '../../../protocol/usage.ts';
import { recordEvent } from '../record/record-context.ts';
import type { Turn, TurnEnding } from '../thread-parts.ts';

type GoalTurn = Pick<Turn, 'log' | 'parts' | 'threadId' | 'turnId' | 'envelope' | 'memory'>;
/** True for a turn whose model can end a goal. Other threads may have one in their lines, and leave it unchanged. */
const hasGoals = ({ envelope }: Pick<Turn, 'envelope'>): boolean => envelope.capabilities.tools.includes('update_goal');

/** The goal with its use so far. Costs of a plan do not count for the goal. */
export function currentGoal(turn: GoalTurn): RecordedGoal | undefined {
  const { log, parts, envelope } = turn;
  if (!hasGoals(turn)) return undefined;
  const { goal, usage } = log.state;
  if (goal !== undefined && isPlanning(turn)) return { ...goal, spent: usedTokens(usage.total) };
  const moment = { total: usage.total, at: parts.clock.now(), from: envelope.telemetry.startedAt };
  return goal === undefined ? undefined : goalWithSpending(goal, moment);
}

const isPlanning = ({ envelope }: Pick<Turn, 'envelope'>): boolean => envelope.modes.collaboration.mode === 'plan';

export function recordGoal({ log, threadId, turnId }: GoalTurn, goal: RecordedGoal): void {
  log.record(goalUpdatedLine(threadId, turnId, goal));
}

export function goalOfThread(turn: GoalTurn): ThreadGoal {
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

/** Decides about a goal that is active when its turn ends, and records its use. */
export function settleGoalAtTurnEnd(turn: Turn, ending: TurnEnding): void {
  const goal = currentGoal(turn);
  if (goal?.status !== 'active') return;
  const why = isPlanning(turn) ? undefined : whyItRests(turn, ending);
  // Nothing makes the goal rest: the next turn continues with it.
  if (why === undefined) return recordGoal(turn, goal);
  const reason = ending.kind === 'failed' ? ending.failure.message : 'The user interrupted it.';
  const message = `The goal of this thread rests, because ${rests[why].cause}.`;
  const outcome = { code: 'goal-rests', message, next: 'To continue with it, ask to resume the goal.' };
  pauseGoal(turn, goal, { why, status: rests[why].status, reason, outcome });
}

function whyItRests({ signal }: Turn, ending: TurnEnding): keyof typeof rests | undefined {
  if (ending.kind === 'failed') return ending.failure.code === 'usage-limit' ? 'usage-limit' : 'failed';
  // A program that ends has not given the goal up.
  return ending.kind === 'aborted' && stoppedBy(signal) === 'user' ? 'interrupted' : undefined;
}

const rests = {
  interrupted: { status: 'paused', cause: 'you interrupted the turn' },
  failed: { status: 'blocked', cause: 'the turn failed' },
  'usage-limit': { status: 'usageLimited', cause: "the provider's limit of use is reached" },
} as const satisfies Record<Exclude<GoalPauseReason, 'stalled'>, { status: GoalStatus; cause: string }>;

type Rest = Required<Pick<RecordedGoal, 'status' | 'reason'>> & {
  readonly why: GoalPauseReason;
  readonly outcome: Outcome;
};

/** Stops the goal from continuing by itself: a line records it, for the model and the user. */
export function pauseGoal(turn: Turn, goal: RecordedGoal, { why, status, reason, outcome }: Rest): void {
  recordGoal(turn, { ...goal, status, reason });
  if (!hasGoals(turn)) return;
  recordEvent(turn, goalFragment, { about: why, objective: goal.objective, used: goal.tokensUsed });
  turn.log.tell({ kind: 'warning', outcome });
}

/** True if a turn whose model is done must continue. In one that continues anyway, only ends a goal over budget. */
export async function mustContinueForGoal(turn: Turn, answer: 'go-on' | 'done'): Promise<boolean> {
  if (turn.log.state.goal?.status !== 'active' || isPlanning(turn) || !hasGoals(turn)) return false;
  const goal = await import('./pursue-goal.ts');
  return answer === 'go-on' ? goal.endGoalOverBudget(turn) : goal.beginNextGoalRound(turn);
}
