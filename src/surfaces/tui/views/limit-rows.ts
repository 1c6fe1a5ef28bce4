import type { RateLimit } from '../../../protocol/rate-limits.ts';
import { clockTime } from '../../wording/time-words.ts';
import type { Look } from '../text/look.ts';

const segments = 20;
/** On a narrower screen the words alone are shown. */
const leastForBar = 60;

/** Limits of the provider as it said them last: a bar of what is left, and when it is full again. */
export function limitRows(
  limits: readonly RateLimit[],
  { look, now }: { readonly look: Pick<Look, 'width' | 'glyphs'>; readonly now: number },
): readonly { readonly name: string; readonly value: string }[] {
  return limits.map((limit) => {
    const left = Math.max(0, Math.min(100, 100 - limit.usedPercent));
    const reset = limit.resetsAt === undefined ? '' : ` (resets ${momentWords(limit.resetsAt * 1000, now)})`;
    const bar = look.width < leastForBar ? '' : `${barOf(left, look)} `;
    return { name: `${limitName(limit)} limit`, value: `${bar}${Math.round(left)} % left${reset}` };
  });
}

function barOf(left: number, { glyphs }: Pick<Look, 'glyphs'>): string {
  const [full, empty] = glyphs === 'ascii' ? ['#', '.'] : ['█', '░'];
  const count = Math.round((left / 100) * segments);
  return `[${full.repeat(count)}${empty.repeat(segments - count)}]`;
}

const day = 24 * 60;
const windows: readonly (readonly [minutes: number, name: string])[] = [
  [5 * 60, '5h'],
  [day, 'Daily'],
  [7 * day, 'Weekly'],
  [30 * day, 'Monthly'],
  [365 * day, 'Annual'],
];

/** By the length of its window where that is within 5 % of a usual one, else as the provider calls it. */
function limitName({ name, windowMinutes = 0 }: RateLimit): string {
  return windows.find(([minutes]) => Math.abs(windowMinutes - minutes) <= minutes * 0.05)?.[1] ?? name;
}

/** The time of day; on another day with the date. */
function momentWords(at: number, now: number): string {
  const [date, time] = clockTime(at).split(' ');
  return clockTime(now).startsWith(`${date} `) ? `${time}` : `${date} ${time}`;
}
