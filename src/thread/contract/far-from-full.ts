import { limitReached } from '../../compaction/plan/limit.ts';
import type { Step } from '../../envelope/step.ts';
import { mergeFragments } from '../../history/merge-fragments.ts';
import { mostTokens } from '../../history/most-tokens.ts';
import type { Telling } from '../../world/tell.ts';
import { compactionWindow } from './compaction-contract.ts';
import { instructionsNow } from './contract-now.ts';
import type { Turn } from '../parts/parts.ts';
import { waitingItem } from '../../state/waiting.ts';

/**
 * Whether the first request of a thread fits, by the length of its texts alone. A closer look reads every character: of
 * all that a start does before its request, V8 would spend the most on that loop.
 */
export function isFarFromFull(turn: Turn, step: Step, { told }: Telling): boolean {
  const { history, usage, prefill } = turn.log.state;
  if (history.length > 0 || usage.last.total > 0) return false;
  const context = mergeFragments(told.map(({ fragment }) => fragment)).map(({ item }) => item(''));
  const active = mostTokens([instructionsNow(turn).text, ...step.tools]);
  const pending = mostTokens([...context, ...turn.inbox.waiting.map(waitingItem)]);
  return !limitReached({ active, pending, prefill, window: compactionWindow(turn) });
}
