import { withEngine } from '../../views/command-line/command-engine.ts';
import type { searchCommand } from '../table/threads-read-commands.ts';
import { wrapSentences } from '../../views/terminal/page.ts';
import { visibleLine } from '../../views/terminal/text.ts';
import { withProgress } from '../../views/terminal/progress.ts';
import { addQuestionWriter, printBlocks, threadQuery, threadSpans, withPaths } from './list.ts';

/** Exit codes: 0: found; 1: nothing found, or not possible; 2: wrong usage. */
export const run = withEngine<typeof searchCommand>(async ({ options, words }, { engine: { stored }, cwd }) => {
  const [text, query] = [words.map(asTyped).join(' '), threadQuery(options, cwd)];
  const found = await withProgress({ label: 'Reading threads' }, (report) => stored.search(text, query, report));
  if ('code' in found) return found.code === 'search-empty' ? { ...found, code: 'usage' } : found;
  const all = await Promise.all(
    found.hits.map(async (hit) => ({ ...hit, thread: await addQuestionWriter(stored, hit.thread) })),
  );
  const hits = all.map((hit) => ({ ...hit, thread: withPaths(hit.thread) }));
  printBlocks({ ...found, hits }, options, 'No matches.', (form, now) =>
    all.map(({ thread, turn, role, excerpt }) => [
      ...threadSpans(thread, now, form),
      wrapSentences(`turn ${turn}, ${role}: ${visibleLine(excerpt)}`, form, '  '),
    ]),
  );
  return hits.length === 0 ? 1 : 0;
});

const asTyped = (word: string): string => (/\s/.test(word) && !word.includes('"') ? `"${word}"` : word);
