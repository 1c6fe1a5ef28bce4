import { usersWords } from '../../history/users-words.ts';
import { type Candidate, type Faulty, faulty } from './candidate.ts';
import { makeCandidate } from './candidate-parts.ts';
import { splitIntent } from './intent-tags.ts';
import { quotedWords } from './match-words.ts';
import type { CompactionPlan, CompactionSource } from '../plan/plan.ts';
import { readStructured } from './structured-answer.ts';
import { summaryFaults } from './summary-faults.ts';

/**
 * The checkpoint that a structured answer asks for. The model says which message defines the active task, and its
 * choice stands when history holds what it quotes; every word of the user comes from history.
 */
export function structuredCandidate(plan: CompactionPlan, source: CompactionSource, text: string): Candidate | Faulty {
  const answer = readStructured(text);
  if (answer.kind === 'faulty') return answer;
  const { request, context } = splitIntent(answer.intent);
  const all = usersWords(source.history);
  const chosen = quotedWords(all, request);
  const faults = summaryFaults(answer.summary);
  if (faults.length > 0) return faulty(...faults);
  const notes = [context, answer.extra].filter((part) => part !== '').join('\n\n');
  const written = { by: 'model', context: notes, summary: answer.summary } as const;
  const candidate = makeCandidate(plan, source, { strategy: 'structured', chosen, quote: request, written });
  const unmatched = chosen.length === 0 && all.length > 0 ? [notFound] : [];
  return { ...candidate, mended: [...answer.mended, ...unmatched, ...candidate.mended] };
}

const notFound = 'The request that the model quoted is no message of the user, so the checkpoint names no active task.';
