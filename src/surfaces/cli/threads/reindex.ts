import type { Outcome } from '../../../protocol/outcome.ts';
import { loadCommandEngine } from '../../views/command-line/command-engine.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import type { reindexCommand } from '../table/threads-read-commands.ts';
import { plural } from '../../../engine/wording.ts';
import { withProgress } from '../../views/terminal/progress.ts';
import { printResult } from './operations.ts';

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
