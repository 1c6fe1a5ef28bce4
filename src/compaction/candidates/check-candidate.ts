import { isMessage, messageText } from '../../protocol/item.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { Candidate, CandidateEntry } from './candidate.ts';
import { type CompactionPlan, isRefusal } from '../plan/plan.ts';
import { candidateMalformed, noGain, wouldGrow } from '../plan/refusals.ts';

/** What is wrong with a candidate as a history (I8); undefined when nothing is. */
export function candidateProblem(plan: CompactionPlan, candidate: Candidate): Outcome | undefined {
  const { entries, tokens } = candidate;
  const last = entries.at(-1);
  if (last === undefined) return candidateMalformed('it is empty.');
  if (!isSummary(last, candidate)) return candidateMalformed('it does not end with the summary.');
  if (tokens > plan.budget.most || tokens > plan.budget.gain) return noGain(plan, tokens);
  // A provider's count is believed where it is more than we see. A refusal has no count, so our estimate decides.
  return isRefusal(plan) && isNoSmaller(plan, candidate) ? wouldGrow(plan, tokens) : undefined;
}

/** By our estimate, and with the context that is sent again. */
export function isNoSmaller({ budget, mayGrow }: CompactionPlan, { tokens }: Pick<Candidate, 'tokens'>): boolean {
  return mayGrow !== true && tokens + budget.context >= budget.before;
}

/** A provider that compacts by itself may seal what it says; every other summary can be read. */
function isSummary(last: CandidateEntry, { strategy, message }: Candidate): boolean {
  const { item, origin } = last.kind === 'kept' ? last.entry : { item: last.item('check'), origin: last.origin };
  if (strategy === 'remote') return origin.family !== 'user';
  return last.kind === 'made' && message !== '' && isMessage(item) && messageText(item).includes(message);
}
