import type { ThreadSummary } from '../../protocol/thread-summary.ts';
import { plural } from './number-words.ts';

/** Empty for a thread that has no turn and something else to show: a review, a command of the user, a goal. */
export function turnWords({ turns, preview }: Pick<ThreadSummary, 'turns' | 'preview'>): readonly string[] {
  return turns === 0 && preview !== '' ? [] : [plural(turns, 'turn')];
}
