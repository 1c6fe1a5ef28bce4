import type { Outcome } from '../../protocol/outcome.ts';
import { loadCommandEngine } from '../commands/command-engine.ts';
import type { CommandArguments } from '../commands/command.ts';
import type { reindexCommand } from '../commands/threads-read-commands.ts';
import { printResult } from './print-result.ts';
import { progressBar } from './progress-bar.ts';

/** `capstan threads reindex` */
export async function run({ options }: CommandArguments<typeof reindexCommand>): Promise<number | Outcome> {
  const loaded = await loadCommandEngine();
  if ('code' in loaded) return loaded;
  const bar = progressBar('Reading threads');
  const done = await loaded.engine.stored.reindex({ anew: !options.changed }, bar.show);
  bar.end();
  if ('outcome' in done) return done.outcome;
  const { threads } = done;
  const told = threads === 1 ? '1 thread is' : `${threads} threads are`;
  return printResult({ threads }, options, () => `${told} in the index.\n`);
}
