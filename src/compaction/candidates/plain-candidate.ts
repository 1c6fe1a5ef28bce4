import { byteLength } from '../../fragments/text/truncate.ts';
import { type Candidate, type Faulty, faulty } from './candidate.ts';
import { makeCandidate } from './candidate-parts.ts';
import type { CompactionPlan, CompactionSource } from '../plan/plan.ts';
import { withResumeLine } from './resume-line.ts';
import { summaryFaults } from './summary-faults.ts';

/** A word, as in "done" or "null", is less than what code knows. */
const leastBytes = 8;

/** The checkpoint of a summary in prose: the user's messages, the records, and the summary last. */
export function plainCandidate(plan: CompactionPlan, source: CompactionSource, text: string): Candidate | Faulty {
  const summary = text.replace(/^\uFEFF/, '').trim();
  if (summary === '') return faulty('The answer is empty.');
  if (byteLength(summary) < leastBytes || !/[\p{L}\p{N}]/u.test(summary))
    return faulty('The answer says nothing to continue from.');
  const faults = summaryFaults(summary);
  if (faults.length > 0) return faulty(...faults);
  const resumed = withResumeLine(summary);
  const written = { by: 'model', context: '', summary: resumed.kind === 'found' ? resumed.summary : summary } as const;
  return makeCandidate(plan, source, { strategy: 'plain', chosen: [], written });
}
