import type { Turn } from '../parts/parts.ts';
import { hasGoals, isPlanning } from '../goal/goal-of-thread.ts';

/** Whether a turn whose model is done goes on by itself, or one that goes on anyway hears of its budget. Loaded on use. */
export async function nextRound(turn: Turn, answer: 'go-on' | 'done'): Promise<boolean> {
  if (turn.log.state.goal?.status !== 'active' || isPlanning(turn) || !hasGoals(turn)) return false;
  const goal = await import('../goal/pursue-goal.ts');
  return answer === 'go-on' ? goal.keepBudget(turn) : goal.goesOn(turn);
}
