import { isMessage, messageText } from '../../protocol/item.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { Candidate, CandidateEntry } from './candidate.ts';
import type { CompactionPlan } from '../plan/plan.ts';
import { candidateMalformed, noGain } from '../plan/refusals.ts';

/** What is wrong with a candidate as a history (I8); undefined when nothing is. */
export function candidateProblem(plan: CompactionPlan, candidate: Candidate): Outcome | undefined {
  const { entries, tokens } = candidate;
  const last = entries.at(-1);
  if (last === undefined) return candidateMalformed('it is empty.');
  if (!isSummary(last, candidate)) return candidateMalformed('it does not end with the summary.');
  return tokens > plan.budget.most || tokens > plan.budget.gain ? noGain(plan, tokens) : undefined;
}

/** A provider that compacts by itself may seal what it says; every other summary can be read. */
function isSummary(last: CandidateEntry, { strategy, message }: Candidate): boolean {
  const { item, origin } = last.kind === 'kept' ? last.entry : { item: last.item('check'), origin: last.origin };
  if (strategy === 'remote') return origin.family !== 'user';
  return last.kind === 'made' && message !== '' && isMessage(item) && messageText(item).includes(message);
}
