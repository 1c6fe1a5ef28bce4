import { byteLength } from '../../fragments/text/truncate.ts';
import { type Candidate, type Faulty, faulty } from './candidate.ts';
import { makeCandidate } from './candidate-parts.ts';
import type { CompactionPlan, CompactionSource } from '../plan/plan.ts';
import { withResumeLine } from './resume-line.ts';
import { summaryFaults } from './summary-faults.ts';
import { usersWords } from '../../history/users-words.ts';
import { splitIntent, readStructured } from './structured-answer.ts';
import { quotedWords } from './match-words.ts';

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

/** The model says which message defines the active task; every word of the user comes from history. */
export function structuredCandidate(plan: CompactionPlan, source: CompactionSource, text: string): Candidate | Faulty {
  const answer = readStructured(text);
  if (answer.kind === 'faulty') return answer;
  const { request, context } = splitIntent(answer.intent);
  const all = usersWords(source.history, source);
  const chosen = quotedWords(all, request);
  const faults = summaryFaults(answer.summary);
  if (faults.length > 0) return faulty(...faults);
  const notes = [context, answer.extra].filter((part) => part !== '').join('\n\n');
  const written = { by: 'model', context: notes, summary: answer.summary } as const;
  const candidate = makeCandidate(plan, source, { strategy: 'structured', chosen, quote: request, written });
  const unmatched = chosen.length === 0 && all.length > 0 ? [notFound] : [];
  return { ...candidate, mended: [...answer.mended, ...unmatched, ...candidate.mended] };
}

const notFound =
  'The request that the model quoted is not a message of the user, so the checkpoint names no active task.';
