import type { Outcome } from '../../protocol/outcome.ts';
import type { Candidate } from './candidate.ts';
import { candidateMaker } from './candidate-parts.ts';
import type { CompactionPlan } from '../plan/plan.ts';
import { shrinkToFit } from './shrinking.ts';
import type { CompactionSource } from '../plan/source.ts';

/**
 * The checkpoint when no model gave one: the user's messages, the records, the summary of an earlier checkpoint and the
 * ends of the work. Code interprets nothing: it names no active task of its own. It can always be made.
 */
export function mechanicalCandidate(plan: CompactionPlan, source: CompactionSource, why: Outcome): Candidate {
  const content = { strategy: 'mechanical', chosen: [], written: { by: 'code', why } } as const;
  return shrinkToFit(plan.budget, candidateMaker(plan, source, content));
}
