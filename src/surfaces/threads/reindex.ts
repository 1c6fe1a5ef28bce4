import type { Outcome } from '../../protocol/outcome.ts';
import { loadCommandEngine } from '../commands/command-engine.ts';
import type { CommandArguments } from '../commands/command.ts';
import type { reindexCommand } from '../commands/threads-read-commands.ts';
import { plural } from '../wording/number-words.ts';
import { withProgress } from '../terminal/with-progress.ts';
import { printResult } from './print-result.ts';

/** `capstan threads reindex` */
export async function run({ options }: CommandArguments<typeof reindexCommand>): Promise<number | Outcome> {
  const loaded = await loadCommandEngine();
  if ('code' in loaded) return loaded;
  const { stored } = loaded.engine;
  const done = await withProgress({ label: 'Reading threads' }, (report) =>
    stored.reindex({ anew: !options.changed }, report),
  );
  if ('outcome' in done) return done.outcome;
  const { threads } = done;
  const verb = options.changed ? 'Updated the index' : 'Rebuilt the index';
  return printResult({ threads }, options, () => `${verb}: ${plural(threads, 'thread')}.\n`);
}
