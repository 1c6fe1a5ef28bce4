import type { Outcome } from '../../protocol/outcome.ts';
import type { CommandForm, ParsedWords } from '../command-words.ts';
import { print, printNote } from '../print.ts';
import { runCommand } from '../run-command.ts';
import { visibleLine } from '../visible-text.ts';
import { queryOf, queryOptions } from './list-query.ts';
import { loadLookingEngine } from './looking-engine.ts';
import { progressBar } from './progress-bar.ts';
import { threadLines } from './thread-lines.ts';

export const form: CommandForm = {
  name: 'threads search',
  summary: 'Finds threads in which a user or the model said something.',
  forms: ['WORD … [OPTIONS]'],
  options: queryOptions,
  notes:
    'All words must stand in one message, in any order and in capitals or not; a part of a word is enough. What stands in\nquotes is searched for as it is.',
};

/** `capstan threads search`. 0: found; 1: nothing found, or not possible; 2: wrong usage. */
export function run(words: readonly string[]): Promise<number> {
  return runCommand(form, words, search);
}

async function search(asked: ParsedWords): Promise<number | Outcome> {
  const looking = await loadLookingEngine();
  if ('code' in looking) return looking;
  const query = queryOf(form, asked, looking.cwd);
  if ('code' in query) return query;
  const bar = progressBar('Reading threads');
  const found = await looking.engine.search(asked.positional.map(asTyped).join(' '), query, bar.show);
  bar.end();
  if ('code' in found) return found.code === 'search-empty' ? { ...found, code: 'usage' } : found;
  if (asked.flags.has('json')) print(`${JSON.stringify(found)}\n`, 'json');
  else {
    const blocks = found.hits.map(({ thread, turn, role, excerpt }) =>
      [...threadLines(thread), `  turn ${turn}, ${role}: ${visibleLine(excerpt)}`, ''].join('\n'),
    );
    print(blocks.join('\n'), 'text');
    if (found.hits.length === 0) printNote('No matches.');
    if (found.next !== undefined) printNote(`\nMore: the same with --cursor ${found.next}`);
  }
  return found.hits.length === 0 ? 1 : 0;
}

/** What the shell was given in quotes stays together. */
function asTyped(word: string): string {
  return /\s/.test(word) && !word.includes('"') ? `"${word}"` : word;
}
