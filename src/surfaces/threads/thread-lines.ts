import { defined } from '../../protocol/defined.ts';
import type { ThreadSummary } from '../../protocol/thread-summary.ts';
import { visibleLine } from '../terminal/visible-text.ts';
import { localTime } from '../engine/rollout-name.ts';

type ShownSettings = { readonly [Name in 'cwd' | 'model' | 'effort' | 'approval' | 'sandbox' | 'mode']?: string };

/** A thread in three lines: which one, with what, and what it is about. */
export function threadLines(thread: ThreadSummary): readonly string[] {
  const { id, name, preview, updatedAt, turns, archived, compressed, forkedFrom, gitBranch } = thread;
  const marks = [
    ...(archived ? ['archived'] : []),
    ...(compressed ? ['compressed'] : []),
    ...(forkedFrom === undefined ? [] : [`fork of ${forkedFrom}`]),
    ...(gitBranch === undefined ? [] : [`on ${gitBranch}`]),
  ];
  const about = [name, preview].filter((text) => text !== undefined && text !== '').join(': ');
  return [
    [id, clockTime(updatedAt), turns === 1 ? '1 turn' : `${turns} turns`, ...marks].join('  '),
    `  ${settingsLine(thread)}`,
    `  ${about === '' ? '(nothing was said)' : about}`,
  ].map(visibleLine);
}

/** The settings of a thread or of a turn, each with what it is. */
export function settingsLine({ cwd, model, effort, approval, sandbox, mode }: ShownSettings): string {
  const known = Object.entries(defined({ cwd, model, effort, approval, sandbox, mode }));
  return visibleLine(known.map(([word, value]) => `${word} ${value}`).join(', '));
}

/** Local time, to the minute. */
export function clockTime(milliseconds: number): string {
  const { year, month, day, hour, minute } = localTime(milliseconds);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${year}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}`;
}

const shownNames = new Map([
  ['location', 'path'],
  ['locations', 'paths'],
]);

/** What JSON shows of a thread or an operation. There a location has been called a path from the start. */
export function withPaths(value: object): object {
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [shownNames.get(name) ?? name, field]));
}
