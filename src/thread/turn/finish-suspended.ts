import type { Turn, TurnEnding } from '../parts/parts.ts';

/**
 * The calls that a suspended turn waits with come first. Undefined when the turn goes on to the model: for nearly all
 * turns at once.
 */
export async function finishSuspended(turn: Turn): Promise<TurnEnding | undefined> {
  const { continues } = turn;
  if (continues === undefined) return undefined;
  const { finishCalls } = await import('./suspended-turn.ts');
  return finishCalls(turn, continues);
}
