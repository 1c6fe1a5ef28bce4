import type { Turn } from './parts.ts';
import { warnOnceForAll } from './warn-once.ts';

/** Warns of what went wrong beside the turn meanwhile, each cause once in the life of the thread. */
export function warnOfProblems({ parts, log, warned }: Pick<Turn, 'parts' | 'log' | 'warned'>): void {
  for (const problem of parts.problemsNow?.() ?? []) {
    const key = `${problem.code} ${problem.message}`;
    if (warned.has(key)) continue;
    warned.add(key);
    warnOnceForAll({ log }, problem, problem.message);
  }
}
