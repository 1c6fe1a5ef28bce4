import type { Candidate } from './candidate.ts';
import { candidateMaker } from './candidate-parts.ts';
import { type Faulty, faulty } from './faulty.ts';
import type { CompactionPlan } from './plan.ts';
import { shrinkToFit } from './shrinking.ts';
import type { CompactionSource } from './source.ts';
import { proseFaults } from './summary-faults.ts';

/** A word or two, as in "done" or "null", is less than what code knows. */
const leastLetters = 12;

/** The checkpoint of a summary in prose: the user's messages, the records, and the summary last. */
export function plainCandidate(plan: CompactionPlan, source: CompactionSource, text: string): Candidate | Faulty {
  const summary = text.replace(/^\uFEFF/, '').trim();
  if (summary === '') return faulty('The answer is empty.');
  if (!saysSomething(summary)) return faulty('The answer says nothing to continue from.');
  const faults = proseFaults(summary, source);
  if (faults.length > 0) return faulty(...faults);
  const written = { by: 'model', context: '', summary } as const;
  return shrinkToFit(plan.room, candidateMaker(plan, source, { strategy: 'plain', chosen: [], written }));
}

function saysSomething(summary: string): boolean {
  let letters = 0;
  for (const _letter of summary.matchAll(/\p{L}/gu)) if (++letters === leastLetters) return true;
  return false;
}
