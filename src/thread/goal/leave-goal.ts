import { stoppedBy } from '../../protocol/stopped-by.ts';
import type { RecordedGoal } from '../../state/goals.ts';
import type { Turn, TurnEnding } from '../parts/parts.ts';
import { currentGoal, isPlanning, recordGoal } from './goal-of-thread.ts';

/** What becomes of a goal that is active when its turn ends. What it has used by then is recorded. */
export function leaveGoal(turn: Turn, ending: TurnEnding): void {
  const now = currentGoal(turn);
  if (now?.status !== 'active') return;
  recordGoal(turn, isPlanning(turn) ? now : { ...now, ...fate(turn, ending) });
}

function fate({ signal }: Turn, ending: TurnEnding): Pick<RecordedGoal, 'status' | 'reason'> {
  if (ending.kind === 'failed') {
    const { code, message } = ending.failure;
    return { status: code === 'usage-limit' ? 'usageLimited' : 'blocked', reason: message };
  }
  // A program that ends has not given the goal up.
  const isUsers = ending.kind === 'aborted' && stoppedBy(signal) === 'user';
  return isUsers ? { status: 'paused', reason: 'The user interrupted it.' } : { status: 'active' };
}
