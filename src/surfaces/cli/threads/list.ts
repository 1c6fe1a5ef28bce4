import { defined } from '../../../base/objects.ts';
import type { StoredThreads } from '../../../engine/store/stored-threads.ts';
import { turnWords } from '../../../engine/wording.ts';
import { fullText, type Outcome } from '../../../protocol/outcome.ts';
import { shellWords } from '../../../protocol/shell.ts';
import type { ThreadPage, ThreadQuery, ThreadSummary } from '../../../protocol/thread.ts';
import { loadCommandEngine } from '../../views/command-line/command-engine.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import { pageForm, type PageForm, printPage, wrapSentences } from '../../views/terminal/page.ts';
import { print, printNote } from '../../views/terminal/print.ts';
import { withProgress } from '../../views/terminal/progress.ts';
import { cyan, dim, type Span, yellow } from '../../views/terminal/styled-text.ts';
import { visibleLine } from '../../views/terminal/text.ts';
import { answerCommand } from '../../views/wording/command-hints.ts';
import { agoWords, clockTimeOf } from '../../views/wording/time-words.ts';
import { goalStatusWords, shownPreview } from '../../views/wording/turn-lines.ts';
import type { listCommand, searchCommand } from '../table/threads-read-commands.ts';
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';

export async function run({ options }: CommandArguments<typeof listCommand>): Promise<number | Outcome> {
  const loaded = await loadCommandEngine();
  if ('code' in loaded) return loaded;
  const { stored } = loaded.engine;
  const query = threadQuery(options, loaded.cwd);
  const page = await withProgress({ label: 'Reading threads' }, (report) => stored.list(query, report));
  if ('code' in page) return page;
  const threads = await Promise.all(page.threads.map((thread) => addQuestionWriter(stored, thread)));
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

/** Starts another process to read the threads that the index does not know, so that this one can end. */
function reindexInBackground(home: string): void {
  const words = [process.argv[1] ?? '', 'threads', 'reindex', '--changed'];
  const child = spawn(process.execPath, words, { detached: true, stdio: 'ignore', cwd: home });
  // A failure is harmless: the threads are indexed when needed.
  child.on('error', () => {});
  child.unref();
}

type ShownSettings = { readonly [Name in 'cwd' | 'model' | 'effort' | 'approval' | 'sandbox' | 'mode']?: string };

export function threadSpans(thread: ListedThread, now: number, form: PageForm): readonly Span[] {
  const { id, name, preview, updatedAt, archived, compressed, forkedFrom, gitBranch, goal } = thread;
  const marks = [
    ...(archived ? ['archived'] : []),
    ...(compressed ? ['compressed'] : []),
    ...(forkedFrom === undefined ? [] : [`fork of ${forkedFrom}`]),
    ...(gitBranch === undefined ? [] : [`on ${gitBranch}`]),
    ...(goal === undefined ? [] : [goalStatusWords(goal)]),
  ];
  const about = [name, shownPreview(preview)].filter((text) => text !== undefined && text !== '').join(': ');
  return [
    cyan(visibleLine(id)),
    visibleLine(['', agoWords(updatedAt, now), ...turnWords(thread), ...marks].join('  ')),
    '\n',
    dim(wrapSentences(settingsLine(thread), form, '  ')),
    wrapSentences(about === '' ? '(no messages)' : visibleLine(about), form, '  '),
    ...questionSpans(thread, form),
  ];
}

/** Two programs cannot answer: if one is already asking, the answer must be given there. */
function questionSpans({ id, questions, writer }: ListedThread, form: PageForm): readonly Span[] {
  if (questions === undefined) return [];
  if (writer === undefined) return ['  ', yellow('waits for your answer'), `: ${answerCommand(visibleLine(id))}\n`];
  return [
    yellow(
      wrapSentences(`waits for your answer in another program: ${visibleLine(withClockTime(writer))}`, form, '  '),
    ),
  ];
}

/** A lock is signed with the time in the form of files. */
function withClockTime(writer: string): string {
  return writer.replace(/(?<= since )\S+$/, (time) => clockTimeOf(time));
}

export function settingsLine({ cwd, model, effort, approval, sandbox, mode }: ShownSettings): string {
  const known = Object.entries(defined({ cwd, model, effort, approval, sandbox, mode }));
  return visibleLine(known.map(([word, value]) => `${word} ${value}`).join(', '));
}

export function printUnreadable({ unreadable = [] }: Pick<ThreadPage, 'unreadable'>): void {
  for (const problem of unreadable) printNote(`\n${fullText(problem)}`);
}

const shownNames = new Map([
  ['location', 'path'],
  ['locations', 'paths'],
]);

/** A thread or an operation for JSON output, where a location has always been called a path. */
export function withPaths(value: object): object {
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [shownNames.get(name) ?? name, field]));
}

/** A listed thread. `writer`: the program that has it open, waits for an answer, and asks there. */
interface ListedThread extends ThreadSummary {
  readonly writer?: string;
}

/** Adds the writer for threads that wait; leaves others unchanged. */
export async function addQuestionWriter(stored: StoredThreads, thread: ThreadSummary): Promise<ListedThread> {
  const writer = thread.questions === undefined ? undefined : await stored.writer(thread.id);
  return writer === undefined ? thread : { ...thread, writer };
}

type QueryOptions = CommandArguments<typeof searchCommand>['options'] &
  Partial<CommandArguments<typeof listCommand>['options']>;

export function threadQuery(options: QueryOptions, here: string): ThreadQuery {
  const { cwd, archived, text, source, cursor, limit = 25, sort = 'updated' } = options;
  return {
    ...(cwd === undefined ? {} : { cwd: resolve(here, cwd) }),
    ...(archived ? { archived } : {}),
    ...defined({ text, source, cursor }),
    limit,
    sort,
  };
}

export function nextPageCommand(typed: readonly string[], cursor: string): string {
  const rest = typed.filter(
    (word, at) => word !== '--cursor' && typed[at - 1] !== '--cursor' && !word.startsWith('--cursor='),
  );
  return `capstan ${shellWords([...rest, '--cursor', cursor])}`;
}
