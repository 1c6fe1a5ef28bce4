import type { Outcome } from '../../protocol/outcome.ts';
import { type CommandForm, type ParsedWords, wrongUsage } from '../command-words.ts';
import { print, printNote } from '../print.ts';
import { runCommand } from '../run-command.ts';
import { reindexInBackground } from './background-reindex.ts';
import { queryOf, queryOptions } from './list-query.ts';
import { loadLookingEngine } from './looking-engine.ts';
import { progressBar } from './progress-bar.ts';
import { threadLines } from './thread-lines.ts';

export const form: CommandForm = {
  name: 'threads list',
  summary: 'Lists threads, those of Codex in the same home too.',
  forms: ['[OPTIONS]'],
  options: [
    { key: 'text', names: ['--text'], value: 'TEXT', help: 'only threads with this in their name or first words' },
    ...queryOptions,
  ],
};

/** `capstan threads list`. 0: listed; 1: not possible; 2: wrong usage. */
export function run(words: readonly string[]): Promise<number> {
  return runCommand(form, words, list);
}

async function list(asked: ParsedWords): Promise<number | Outcome> {
  if (asked.positional.length > 0) return wrongUsage(form, 'it takes options only; `threads search` takes words.');
  const looking = await loadLookingEngine();
  if ('code' in looking) return looking;
  const query = queryOf(form, asked, looking.cwd);
  if ('code' in query) return query;
  const bar = progressBar('Reading threads');
  const page = await looking.engine.list(query, bar.show);
  bar.end();
  if ('code' in page) return page;
  if (asked.flags.has('json')) print(`${JSON.stringify(page)}\n`, 'json');
  else {
    print(page.threads.map((thread) => `${threadLines(thread).join('\n')}\n`).join('\n'), 'text');
    if (page.threads.length === 0) printNote('There are no such threads.');
    if (page.next !== undefined) printNote(`\nMore: the same with --cursor ${page.next}`);
  }
  const home = await looking.engine.takeReading();
  if (home !== undefined) reindexInBackground(home);
  return 0;
}
