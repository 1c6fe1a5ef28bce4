import type { StoredThreads } from '../../../engine/store/stored-threads.ts';
import { describeTurnCount } from '../../../engine/wording.ts';
import { outcomeText } from '../../../protocol/outcome.ts';
import { quoteShellCommand } from '../../../protocol/shell.ts';
import type { ThreadPage, ThreadQuery, ThreadSummary } from '../../../protocol/thread.ts';
import { withEngine } from '../../views/command-line/command-engine.ts';
import type { CommandArguments } from '../../views/command-line/command.ts';
import { printNote } from '../../views/terminal/print.ts';
import { withProgress } from '../../views/terminal/progress.ts';
import { cyan, dim, type Span, yellow } from '../../views/terminal/styled-text.ts';
import { pageForm, type PageForm, printResult, wrapSentences } from '../../views/terminal/tables.ts';
import { visibleLine } from '../../views/terminal/visible-text.ts';
import { answerCommand } from '../../views/wording/command-hints.ts';
import { agoWords, clockTimeOf } from '../../views/wording/time-words.ts';
import { goalStatusWords, shownPreview } from '../../views/wording/turn-lines.ts';
import type { listCommand, searchCommand } from '../table/threads-read-commands.ts';
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';

/** Exit codes: 0: found; 1: nothing found, or not possible; 2: wrong usage. */
export const runSearch = withEngine<typeof searchCommand>(async ({ options, words }, { engine: { stored }, cwd }) => {
  const [text, query] = [words.map(asTyped).join(' '), threadQuery(options, cwd)];
  const found = await withProgress({ label: 'Reading threads' }, (report) => stored.search(text, query, report));
  if ('code' in found) return found.code === 'search-empty' ? { ...found, code: 'usage' } : found;
  const all = await Promise.all(
    found.hits.map(async (hit) => ({ ...hit, thread: await addQuestionWriter(stored, hit.thread) })),
  );
  const hits = all.map((hit) => ({ ...hit, thread: renameLocationsToPaths(hit.thread) }));
  printBlocks({ ...found, hits }, options, 'No matches.', (form, now) =>
    all.map(({ thread, turn, role, excerpt }) => [
      ...threadSpans(thread, now, form),
      wrapSentences(`turn ${turn}, ${role}: ${visibleLine(excerpt)}`, form, '  '),
    ]),
  );
  return hits.length === 0 ? 1 : 0;
});

const asTyped = (word: string): string => (/\s/.test(word) && !word.includes('"') ? `"${word}"` : word);

export const runList = withEngine<typeof listCommand>(async ({ options }, { engine: { stored }, cwd }) => {
  const query = threadQuery(options, cwd);
  const page = await withProgress({ label: 'Reading threads' }, (report) => stored.list(query, report));
  if ('code' in page) return page;
  const threads = await Promise.all(page.threads.map((thread) => addQuestionWriter(stored, thread)));
  printBlocks({ ...page, threads: threads.map(renameLocationsToPaths) }, options, 'No threads.', (form, now) =>
    threads.map((thread) => threadSpans(thread, now, form)),
  );
  const home = await stored.takeReading();
  if (home !== undefined) reindexInBackground(home);
  return 0;
});

/** Prints a page of threads or hits as blocks, and on standard error unreadable threads and the next page's command. */
export function printBlocks<Page extends Pick<ThreadPage, 'unreadable' | 'next'>>(
  page: Page,
  options: { readonly json: boolean },
  none: string,
  blocksIn: (form: PageForm, now: number) => readonly (readonly Span[])[],
): void {
  const blocks = blocksIn(pageForm(), Date.now());
  printResult(page, options, () => blocks.flatMap((block, at) => (at === 0 ? block : ['\n', ...block])));
  if (options.json) return;
  if (blocks.length === 0) printNote(none);
  for (const problem of page.unreadable ?? []) printNote(`\n${outcomeText(problem)}`);
  if (page.next !== undefined) printNote(`\nMore: ${nextPageCommand(process.argv.slice(2), page.next)}`);
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
    visibleLine(['', agoWords(updatedAt, now), ...describeTurnCount(thread), ...marks].join('  ')),
    '\n',
    dim(wrapSentences(settingsLine(thread), form, '  ')),
    wrapSentences(about === '' ? '(no messages)' : visibleLine(about), form, '  '),
    ...questionSpans(thread, form),
  ];
}

/** Only one program can take the answer: if another one already asks, the user must answer there. */
function questionSpans({ id, questions, writer }: ListedThread, form: PageForm): readonly Span[] {
  if (questions === undefined) return [];
  if (writer === undefined) return ['  ', yellow('waits for your answer'), `: ${answerCommand(visibleLine(id))}\n`];
  // The writer's signature in the lock has the time in the form that files use.
  const there = visibleLine(writer.replace(/(?<= since )\S+$/, (time) => clockTimeOf(time)));
  return [yellow(wrapSentences(`waits for your answer in another program: ${there}`, form, '  '))];
}

export function settingsLine({ cwd, model, effort, approval, sandbox, mode }: ShownSettings): string {
  const known = Object.entries({ cwd, model, effort, approval, sandbox, mode }).filter(
    ([, value]) => value !== undefined,
  );
  return visibleLine(known.map(([word, value]) => `${word} ${value}`).join(', '));
}

/** A thread or an operation for JSON output, where a location has always been called a path. */
export const renameLocationsToPaths = (value: object): object =>
  Object.fromEntries(Object.entries(value).map(([name, field]) => [name.replace(/^location(?=s?$)/, 'path'), field]));

/** A listed thread. `writer`: the program that has it open, waits for an answer, and asks there. */
type ListedThread = ThreadSummary & { readonly writer?: string };

export async function addQuestionWriter(stored: StoredThreads, thread: ThreadSummary): Promise<ListedThread> {
  const writer = thread.questions === undefined ? undefined : await stored.writer(thread.id);
  return writer === undefined ? thread : { ...thread, writer };
}

type QueryOptions = CommandArguments<typeof searchCommand>['options'] &
  Partial<CommandArguments<typeof listCommand>['options']>;

export function threadQuery(options: QueryOptions, here: string): ThreadQuery {
  const { cwd, archived, text, source, cursor, limit = 25, sort = 'updated' } = options;
  const folder = cwd === undefined ? undefined : resolve(here, cwd);
  return { cwd: folder, archived: archived || undefined, text, source, cursor, limit, sort };
}

export function nextPageCommand(typed: readonly string[], cursor: string): string {
  const rest = typed.filter(
    (word, at) => word !== '--cursor' && typed[at - 1] !== '--cursor' && !word.startsWith('--cursor='),
  );
  return `capstan ${quoteShellCommand([...rest, '--cursor', cursor])}`;
}
