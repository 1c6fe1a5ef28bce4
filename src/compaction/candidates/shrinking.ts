import type { Candidate } from './candidate.ts';
import type { CompactionBudget } from '../plan/plan.ts';

/** What the parts of a checkpoint may weigh, in tokens. */
export type PartsBudget = Pick<CompactionBudget, 'words' | 'pictures' | 'answer' | 'records'>;

const shares = [1, 0.75, 0.5, 0.35, 0.2, 0.1, 0.05, 0] as const;

/** The first candidate that fits, made with smaller and smaller budgets. If nothing fits, the smallest. */
export function shrinkToFit(budget: CompactionBudget, make: (budget: PartsBudget) => Candidate): Candidate {
  let candidate: Candidate | undefined;
  for (const share of shares) {
    const part = (tokens: number): number => Math.floor(Math.max(0, tokens) * share);
    candidate = make({
      words: part(budget.words),
      pictures: part(budget.pictures),
      answer: part(budget.answer),
      records: part(budget.records),
    });
    if (candidate.tokens <= budget.most) return candidate;
  }
  return candidate!;
}
