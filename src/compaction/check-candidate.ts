import { isMessage, messageText } from '../protocol/item.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { Candidate } from './candidate.ts';
import type { CompactionPlan } from './plan.ts';
import { malformed, noGain } from './refusals.ts';

/** What is wrong with a candidate as a history (I8); undefined when nothing is. */
export function candidateProblem(plan: CompactionPlan, candidate: Candidate): Outcome | undefined {
  const { entries, message, tokens } = candidate;
  const last = entries.at(-1);
  if (last === undefined) return malformed('it is empty.');
  if (last.kind !== 'made') return malformed('the summary does not stand at its end.');
  const item = last.item('check');
  if (isMessage(item) && (message === '' || !messageText(item).includes(message))) {
    return malformed('the summary does not stand at its end.');
  }
  return tokens > plan.room.most || tokens >= plan.room.before ? noGain(plan, tokens) : undefined;
}
