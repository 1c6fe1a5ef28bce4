import { withEngine } from '../../views/command-line/command-engine.ts';
import type { reindexCommand } from '../table/threads-read-commands.ts';
import { plural } from '../../../engine/wording.ts';
import { printResult } from '../../views/terminal/page.ts';
import { withProgress } from '../../views/terminal/progress.ts';

export const run = withEngine<typeof reindexCommand>(async ({ options }, { engine: { stored } }) => {
  const done = await withProgress({ label: 'Reading threads' }, (report) =>
    stored.reindex({ anew: !options.changed }, report),
  );
  if ('outcome' in done) return done.outcome;
  const verb = options.changed ? 'Updated the index' : 'Rebuilt the index';
  return printResult({ threads: done.threads }, options, () => `${verb}: ${plural(done.threads, 'thread')}.\n`);
});
