import type { Outcome } from '../../../protocol/outcome.ts';
import { loadCommandEngine } from '../../views/command-line/command-engine.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import type { searchCommand } from '../table/threads-read-commands.ts';
import { pageForm, printPage, wrapSentences } from '../../views/terminal/page.ts';
import { print, printNote } from '../../views/terminal/print.ts';
import { visibleLine } from '../../views/terminal/text.ts';
import { withProgress } from '../../views/terminal/progress.ts';
import { addQuestionWriter, nextPageCommand, printUnreadable, threadQuery, threadSpans, withPaths } from './list.ts';

/** Exit codes: 0: found; 1: nothing found, or not possible; 2: wrong usage. */
export async function run({ options, words }: CommandArguments<typeof searchCommand>): Promise<number | Outcome> {
  const loaded = await loadCommandEngine();
  if ('code' in loaded) return loaded;
  const { stored } = loaded.engine;
  const [text, query] = [words.map(asTyped).join(' '), threadQuery(options, loaded.cwd)];
  const found = await withProgress({ label: 'Reading threads' }, (report) => stored.search(text, query, report));
  if ('code' in found) return found.code === 'search-empty' ? { ...found, code: 'usage' } : found;
  const all = await Promise.all(
    found.hits.map(async (hit) => ({ ...hit, thread: await addQuestionWriter(stored, hit.thread) })),
  );
  if (options.json) {
    const hits = all.map((hit) => ({ ...hit, thread: withPaths(hit.thread) }));
    print(`${JSON.stringify({ ...found, hits })}\n`, 'json');
  } else {
    const [form, now] = [pageForm(), Date.now()];
    const blocks = all.flatMap(({ thread, turn, role, excerpt }, at) => [
      at === 0 ? '' : '\n',
      ...threadSpans(thread, now, form),
      wrapSentences(`turn ${turn}, ${role}: ${visibleLine(excerpt)}`, form, '  '),
    ]);
    printPage(blocks, form);
    if (found.hits.length === 0) printNote('No matches.');
    printUnreadable(found);
    if (found.next !== undefined) printNote(`\nMore: ${nextPageCommand(process.argv.slice(2), found.next)}`);
  }
  return found.hits.length === 0 ? 1 : 0;
}

function asTyped(word: string): string {
  return /\s/.test(word) && !word.includes('"') ? `"${word}"` : word;
}
