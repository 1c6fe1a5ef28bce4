import type { ThreadSummary } from '../../protocol/thread-summary.ts';
import { visibleLine } from '../terminal/visible-text.ts';
import { type LocalTime, localTime } from '../engine/rollout-name.ts';

/** The settings of a thread or of a turn, each with what it is. */
export interface ShownSettings {
  readonly cwd?: string;
  readonly approval?: string;
  readonly sandbox?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly mode?: string;
}

/** A thread in three lines: which one, with what, and what it is about. */
export function threadLines(thread: ThreadSummary, zone: LocalTime = localTime): readonly string[] {
  const { id, name, preview, updatedAt, turns, archived, compressed, forkedFrom, gitBranch } = thread;
  const marks = [
    ...(archived ? ['archived'] : []),
    ...(compressed ? ['compressed'] : []),
    ...(forkedFrom === undefined ? [] : [`fork of ${forkedFrom}`]),
    ...(gitBranch === undefined ? [] : [`on ${gitBranch}`]),
  ];
  const about = [name, preview].filter((text) => text !== undefined && text !== '').join(': ');
  return [
    [id, clockTime(updatedAt, zone), turns === 1 ? '1 turn' : `${turns} turns`, ...marks].join('  '),
    `  ${settingsLine(thread)}`,
    `  ${about === '' ? '(nothing was said)' : about}`,
  ].map(visibleLine);
}

export function settingsLine({ cwd, approval, sandbox, model, effort, mode }: ShownSettings): string {
  const parts = [
    ['cwd', cwd],
    ['model', model],
    ['effort', effort],
    ['approval', approval],
    ['sandbox', sandbox],
    ['mode', mode],
  ] as const;
  return visibleLine(parts.flatMap(([word, value]) => (value === undefined ? [] : [`${word} ${value}`])).join(', '));
}

/** Local time, to the minute. */
export function clockTime(milliseconds: number, zone: LocalTime = localTime): string {
  const { year, month, day, hour, minute } = zone(milliseconds);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${year}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}`;
}
