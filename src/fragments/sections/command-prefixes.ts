import { type BoundedList, boundedList } from '../text/bounded-list.ts';
import { quote } from '../text/markup.ts';

/** The first words of a command that the user approved for good. */
export type CommandPrefix = readonly string[];

/** Each once, short ones first, so that what a long list leaves out is the most special. */
export function listPrefixes(prefixes: readonly CommandPrefix[]): BoundedList {
  const sorted = prefixes.toSorted(
    (a, b) => a.length - b.length || letters(a) - letters(b) || compare(a.join('\0'), b.join('\0')),
  );
  const lines = sorted.map((prefix) => `[${prefix.map(quote).join(', ')}]`);
  return boundedList([...new Set(lines)], { count: 100, characters: 5000 });
}

function letters(prefix: CommandPrefix): number {
  return prefix.reduce((sum, token) => sum + token.length, 0);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
