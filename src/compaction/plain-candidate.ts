import { usersWords } from '../history/users-words.ts';
import { activeTask } from './active-task.ts';
import type { Candidate } from './candidate.ts';
import { entriesTokens, recordsEntries, summaryEntry } from './candidate-parts.ts';
import { type Faulty, faulty } from './faulty.ts';
import { keptMessage } from './kept-message.ts';
import { keepWords } from './kept-words.ts';
import { addedWork, cutNotice, cutSummary, ownText } from './model-text.ts';
import type { CompactionPlan } from './plan.ts';
import { shrinkToFit } from './shrinking.ts';
import type { CompactionSource } from './source.ts';

/** A word or two, as in "done" or "null", is less than what code knows. */
const leastLetters = 12;

/** The checkpoint of a summary in prose: the user's messages as they were, the records, and the summary last. */
export function plainCandidate(plan: CompactionPlan, source: CompactionSource, text: string): Candidate | Faulty {
  const summary = text.replace(/^\uFEFF/, '').trim();
  if (summary === '') return faulty('The answer is empty.');
  if ((summary.match(/\p{L}/gu)?.length ?? 0) < leastLetters) return faulty('The answer says nothing to go on from.');
  const all = usersWords(source.history);
  const task = activeTask(all);
  return shrinkToFit(plan.room, (room) => {
    const { kept, counts } = keepWords(all, { task, form: 'messages', room });
    const told = ownText(summary, kept);
    const shown = cutSummary(told, room.answer);
    const ends = addedWork(source, shown, room.answer);
    const added = ends === undefined ? {} : { work: ends };
    const { entry, message } = summaryEntry({ by: 'model', model: plan.model, summary: shown, ...added });
    const entries = [
      ...kept.map((one) => keptMessage(one, { parts: 'all', isTask: one.words === task })),
      ...recordsEntries(source.work, room.records),
      entry,
    ];
    const mended = cutNotice([told], [shown]);
    return { strategy: 'plain', entries, message, tokens: entriesTokens(entries), words: counts, mended };
  });
}
