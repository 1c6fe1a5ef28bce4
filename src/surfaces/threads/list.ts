import { spawn } from 'node:child_process';
import type { Outcome } from '../../protocol/outcome.ts';
import { loadCommandEngine } from '../commands/command-engine.ts';
import type { CommandArguments } from '../commands/command.ts';
import type { listCommand } from '../commands/threads-read-commands.ts';
import { pageForm, printPage } from '../terminal/page.ts';
import { print, printNote } from '../terminal/print.ts';
import { withProgress } from '../terminal/with-progress.ts';
import { nextPageCommand } from '../wording/next-page.ts';
import { queryOf } from './list-query.ts';
import { withWriter } from './asked-elsewhere.ts';
import { printUnreadable, threadSpans, withPaths } from './thread-lines.ts';

/** `capstan threads list` */
export async function run({ options }: CommandArguments<typeof listCommand>): Promise<number | Outcome> {
  const loaded = await loadCommandEngine();
  if ('code' in loaded) return loaded;
  const { stored } = loaded.engine;
  const query = queryOf(options, loaded.cwd);
  const page = await withProgress({ label: 'Reading threads' }, (report) => stored.list(query, report));
  if ('code' in page) return page;
  const threads = await Promise.all(page.threads.map((thread) => withWriter(stored, thread)));
  if (options.json) print(`${JSON.stringify({ ...page, threads: threads.map(withPaths) })}\n`, 'json');
  else {
    const [form, now] = [pageForm(), Date.now()];
    printPage(
      threads.flatMap((thread, at) => [at === 0 ? '' : '\n', ...threadSpans(thread, now, form)]),
      form,
    );
    if (threads.length === 0) printNote('No threads.');
    printUnreadable(page);
    if (page.next !== undefined) printNote(`\nMore: ${nextPageCommand(process.argv.slice(2), page.next)}`);
  }
  const home = await stored.takeReading();
  if (home !== undefined) reindexInBackground(home);
  return 0;
}

/** Lets another process read the threads that the index does not know, so that this one can end. */
function reindexInBackground(home: string): void {
  const words = [process.argv[1] ?? '', 'threads', 'reindex', '--changed'];
  const child = spawn(process.execPath, words, { detached: true, stdio: 'ignore', cwd: home });
  // What it would have done is done when it is needed.
  child.on('error', () => {});
  child.unref();
}
