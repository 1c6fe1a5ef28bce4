import { grouped } from '../../protocol/grouped.ts';
import type { ThreadSummary } from '../../protocol/thread-summary.ts';

/** `1,234,567`. */
export function count(number: number): string {
  return grouped(number);
}

/** `42 %` of a whole. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return '-';
  const share = (100 * part) / whole;
  return share > 0 && share < 1 ? '<1 %' : `${Math.round(share)} %`;
}

/** `1, 3-5`. */
export function ranges(numbers: readonly number[]): string {
  const spans: [number, number][] = [];
  for (const number of numbers) {
    const last = spans.at(-1);
    if (last !== undefined && number === last[1] + 1) last[1] = number;
    else spans.push([number, number]);
  }
  return spans.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(', ');
}

/** An estimate for people. A handful is not rounded by calling it about a handful. */
export function about(tokens: number): string {
  return tokens < 10 ? count(tokens) : `about ${count(tokens)}`;
}

/** `1 turn`, `2 turns`. */
export function plural(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}

/** Empty for a thread that has no turn and something else to show: a review, a command of the user, a goal. */
export function turnWords({ turns, preview }: Pick<ThreadSummary, 'turns' | 'preview'>): readonly string[] {
  return turns === 0 && preview !== '' ? [] : [plural(turns, 'turn')];
}
