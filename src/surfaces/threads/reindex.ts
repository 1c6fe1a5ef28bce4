import type { Outcome } from '../../protocol/outcome.ts';
import { type CommandForm, type ParsedWords, wrongUsage } from '../command-words.ts';
import { print } from '../print.ts';
import { runCommand } from '../run-command.ts';
import { loadLookingEngine } from './looking-engine.ts';
import { progressBar } from './progress-bar.ts';

export const form: CommandForm = {
  name: 'threads reindex',
  summary: 'Reads all threads again for lists and searches.',
  forms: ['[--changed] [--json]'],
  options: [
    { key: 'changed', names: ['--changed'], help: 'only those that have changed' },
    { key: 'json', names: ['--json'], help: 'one JSON object' },
  ],
  notes: 'Nobody needs it for right answers: lists and searches look at the files. It makes the first search fast.',
};

/** `capstan threads reindex`. 0: done; 1: not possible; 2: wrong usage. */
export function run(words: readonly string[]): Promise<number> {
  return runCommand(form, words, reindex);
}

async function reindex(asked: ParsedWords): Promise<number | Outcome> {
  if (asked.positional.length > 0) return wrongUsage(form, 'it takes options only.');
  const looking = await loadLookingEngine();
  if ('code' in looking) return looking;
  const bar = progressBar('Reading threads');
  const { threads } = await looking.engine.reindex({ anew: !asked.flags.has('changed') }, bar.show);
  bar.end();
  const told = threads === 1 ? '1 thread is' : `${threads} threads are`;
  if (asked.flags.has('json')) print(`${JSON.stringify({ threads })}\n`, 'json');
  else print(`${told} in the index.\n`, 'text');
  return 0;
}
