import { stoppedBy } from '../../protocol/stopped-by.ts';
import type { GoalStatus } from '../../protocol/goal.ts';
import type { Turn, TurnEnding } from '../parts/parts.ts';
import { currentGoal, recordGoal } from './goal-of-thread.ts';

/** What becomes of an active goal when its turn ends otherwise than done. */
export function leaveGoal(turn: Turn, ending: TurnEnding): void {
  const { goal } = turn.log.state;
  if (goal?.status !== 'active') return;
  const now = currentGoal(turn)!;
  // What is spent on a plan is not spent on the goal.
  if (isPlanning(turn)) return recordGoal(turn, { ...now, ...used(goal) });
  const [status, reason] = fate(turn, ending);
  if (status !== 'active') recordGoal(turn, { ...now, status, reason });
}

export function isPlanning({ envelope }: Pick<Turn, 'envelope'>): boolean {
  return envelope.modes.collaboration?.mode === 'plan';
}

function used({ tokensUsed, timeUsedSeconds }: { readonly tokensUsed: number; readonly timeUsedSeconds: number }) {
  return { tokensUsed, timeUsedSeconds };
}

function fate({ signal }: Turn, ending: TurnEnding): readonly [status: GoalStatus, reason: string] {
  if (ending.kind === 'failed') {
    const { code, message } = ending.failure;
    return [code === 'usage-limit' ? 'usageLimited' : 'blocked', message];
  }
  // A program that ends has not given the goal up.
  const isUsers = ending.kind === 'aborted' && stoppedBy(signal) === 'user';
  return isUsers ? ['paused', 'The user interrupted it.'] : ['active', ''];
}
