import { defined } from '../../protocol/defined.ts';
import { fullText } from '../../protocol/outcome.ts';
import type { ThreadPage } from '../../protocol/thread-summary.ts';
import { cyan, dim, type Span, yellow } from '../terminal/look.ts';
import { type PageForm, prose } from '../terminal/page.ts';
import { printNote } from '../terminal/print.ts';
import { shownPreview } from '../wording/piped-input.ts';
import { turnWords } from '../wording/number-words.ts';
import { visibleLine } from '../terminal/visible-text.ts';
import { answerCommand } from '../wording/answer-command.ts';
import { goalStanding } from '../wording/goal-standing.ts';
import { agoWords, clockTimeOf } from '../wording/time-words.ts';
import type { ListedThread } from './asked-elsewhere.ts';

type ShownSettings = { readonly [Name in 'cwd' | 'model' | 'effort' | 'approval' | 'sandbox' | 'mode']?: string };

/** A thread in three lines: which one, with what, and what it is about. */
export function threadSpans(thread: ListedThread, now: number, form: PageForm): readonly Span[] {
  const { id, name, preview, updatedAt, archived, compressed, forkedFrom, gitBranch, goal } = thread;
  const marks = [
    ...(archived ? ['archived'] : []),
    ...(compressed ? ['compressed'] : []),
    ...(forkedFrom === undefined ? [] : [`fork of ${forkedFrom}`]),
    ...(gitBranch === undefined ? [] : [`on ${gitBranch}`]),
    ...(goal === undefined ? [] : [goalStanding(goal)]),
  ];
  const about = [name, shownPreview(preview)].filter((text) => text !== undefined && text !== '').join(': ');
  return [
    cyan(visibleLine(id)),
    visibleLine(['', agoWords(updatedAt, now), ...turnWords(thread), ...marks].join('  ')),
    '\n',
    dim(prose(settingsLine(thread), form, '  ')),
    prose(about === '' ? '(no messages)' : visibleLine(about), form, '  '),
    ...questionSpans(thread, form),
  ];
}

/** Two programs cannot answer: where one asks already, the answer is given there. */
function questionSpans({ id, questions, writer }: ListedThread, form: PageForm): readonly Span[] {
  if (questions === undefined) return [];
  if (writer === undefined) return ['  ', yellow('waits for your answer'), `: ${answerCommand(visibleLine(id))}\n`];
  return [yellow(prose(`waits for your answer in another program: ${visibleLine(withClockTime(writer))}`, form, '  '))];
}

/** A program signs its lock with the time in the form of files. */
function withClockTime(writer: string): string {
  return writer.replace(/(?<= since )\S+$/, (time) => clockTimeOf(time));
}

/** The settings of a thread or of a turn, each with what it is. */
export function settingsLine({ cwd, model, effort, approval, sandbox, mode }: ShownSettings): string {
  const known = Object.entries(defined({ cwd, model, effort, approval, sandbox, mode }));
  return visibleLine(known.map(([word, value]) => `${word} ${value}`).join(', '));
}

/** Says which files a list had to leave out. */
export function printUnreadable({ unreadable = [] }: Pick<ThreadPage, 'unreadable'>): void {
  for (const problem of unreadable) printNote(`\n${fullText(problem)}`);
}

const shownNames = new Map([
  ['location', 'path'],
  ['locations', 'paths'],
]);

/** What JSON shows of a thread or an operation. There a location has been called a path from the start. */
export function withPaths(value: object): object {
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [shownNames.get(name) ?? name, field]));
}
