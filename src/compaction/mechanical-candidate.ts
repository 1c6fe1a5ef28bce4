import { usersWords } from '../history/users-words.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { activeTask } from './active-task.ts';
import type { Candidate } from './candidate.ts';
import { entriesTokens, recordsEntries, summaryEntry } from './candidate-parts.ts';
import { keptMessage } from './kept-message.ts';
import { keepWords } from './kept-words.ts';
import { findLastWork, lastWork } from './last-work.ts';
import type { CompactionPlan } from './plan.ts';
import { shrinkToFit } from './shrinking.ts';
import type { CompactionSource } from './source.ts';

/**
 * The checkpoint when no model gave one: the user's messages, the plan, the files and the ends of the work. It can
 * always be made. It fits wherever three short messages and a notice do.
 */
export function mechanicalCandidate(plan: CompactionPlan, source: CompactionSource, why: Outcome): Candidate {
  const all = usersWords(source.history);
  const task = activeTask(all);
  const found = findLastWork(source);
  return shrinkToFit(plan.room, (room) => {
    const { kept, counts } = keepWords(all, { task, form: 'messages', room });
    const { entry, message } = summaryEntry({ by: 'code', ...lastWork(found, why, room.answer) });
    const entries = [
      ...kept.map((one) => keptMessage(one, { parts: 'all', isTask: one.words === task })),
      ...recordsEntries(source.work, room.records),
      entry,
    ];
    return { strategy: 'mechanical', entries, message, tokens: entriesTokens(entries), words: counts, mended: [] };
  });
}
