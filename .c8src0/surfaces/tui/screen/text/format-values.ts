import { formatCount } from '../../../../engine/wording.ts';
import { type Usage, usedTokens } from '../../../../protocol/usage.ts';
import { cleanLine } from './clean-text.ts';
import type { Look } from './look.ts';

/** A path for display: relative inside the thread's folder, with `~` inside the home folder. */
export function shownPath(path: string, { cwd, home }: Pick<Look, 'cwd' | 'home'>): string {
  const inside = within(path, cwd);
  if (inside !== undefined) return cleanLine(inside === '' ? '.' : inside);
  const atHome = within(path, home);
  return cleanLine(atHome === undefined ? path : atHome === '' ? '~' : `~/${atHome}`);
}

/** The rest of a path below a folder. Undefined if it is elsewhere. */
function within(path: string, folder: string): string | undefined {
  if (folder === '' || folder === '/') return undefined;
  if (path === folder) return '';
  const isBelow = path.startsWith(folder) && /^[\\/]/.test(path.slice(folder.length));
  return isBelow ? path.slice(folder.length + 1) : undefined;
}

/** `<1s`, `59s`, `1m 00s`, `1h 01m 01s`. */
export function elapsedWords(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 1) return '<1s';
  if (seconds < 60) return `${seconds}s`;
  const two = (value: number): string => String(value).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${two(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m ${two(seconds % 60)}s`;
}

/** With fractions of a second: `15ms`, `2.1s`. */
export function preciseDurationText(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)}ms`;
  return milliseconds < 60_000 ? `${(milliseconds / 1000).toFixed(1)}s` : elapsedWords(milliseconds);
}

const units = ['', 'K', 'M', 'B', 'T'] as const;

/** `950`, `2.81K`, `50.1K`, `258K`, `1.2M`. */
export function compactNumber(number: number): string {
  let [value, unit] = [Math.max(0, number), 0];
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  if (unit === 0) return String(Math.round(value));
  const digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return `${Number(value.toFixed(digits))}${units[unit]}`;
}

/** Used tokens, including those of requests that no provider counted, so that they match a price beside them. */
export const usedWithEstimate = (usage: Usage): number => usedTokens(usage) + (usage.estimated ?? 0);
/** `about ` if some of it is an estimate, else empty. */
export const approximatePrefix = ({ estimated = 0 }: Usage): '' | 'about ' => (estimated > 0 ? 'about ' : '');

export const usedTokensWords = (usage: Usage): string =>
  `${approximatePrefix(usage)}${formatCount(usedWithEstimate(usage))}`;
