import type { GoalRests } from '../../fragments/events/goal-words.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { stoppedBy } from '../../protocol/stopped-by.ts';
import type { Turn, TurnEnding } from '../parts/parts.ts';
import { currentGoal, isPlanning, recordGoal } from './goal-of-thread.ts';
import { restGoal } from './rest-goal.ts';

/** What becomes of a goal that is active when its turn ends. What it has used by then is recorded. */
export function leaveGoal(turn: Turn, ending: TurnEnding): void {
  const goal = currentGoal(turn);
  if (goal?.status !== 'active') return;
  const rest = isPlanning(turn) ? undefined : restAfter(turn, ending);
  if (rest === undefined) recordGoal(turn, goal);
  else restGoal(turn, goal, rest);
}

/** Undefined: the next turn continues with it. */
function restAfter({ signal }: Turn, ending: TurnEnding): Parameters<typeof restGoal>[2] | undefined {
  if (ending.kind === 'failed') {
    const { code, message: reason } = ending.failure;
    return code === 'usage-limit'
      ? { why: 'usage-limit', status: 'usageLimited', reason, outcome: atRest('usage-limit') }
      : { why: 'failed', status: 'blocked', reason, outcome: atRest('failed') };
  }
  // A program that ends has not given the goal up.
  if (ending.kind !== 'aborted' || stoppedBy(signal) !== 'user') return undefined;
  const reason = 'The user interrupted it.';
  return { why: 'interrupted', status: 'paused', reason, outcome: atRest('interrupted') };
}

const causes: Readonly<Record<Exclude<GoalRests, 'stalled'>, string>> = {
  interrupted: 'you interrupted the turn',
  failed: 'the turn failed',
  'usage-limit': "the provider's limit of use is reached",
};

function atRest(why: keyof typeof causes): Outcome<'goal-rests'> {
  return {
    code: 'goal-rests',
    message: `The goal of this thread rests, because ${causes[why]}.`,
    next: 'To continue with it, ask to resume the goal.',
  };
}
