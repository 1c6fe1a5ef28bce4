import { boundedList } from './bounded-list.ts';
import { quote } from './markup.ts';
import { truncateMiddle } from './truncate.ts';

const longestPath = 400;

/** One line with a title and paths, as many as fit; none for no paths. A character may have three bytes, and caps count bytes. */
export function listedPaths(
  title: string,
  paths: readonly string[],
  most: { readonly count: number; readonly characters: number },
): readonly string[] {
  if (paths.length === 0) return [];
  const { kept, left } = boundedList(
    paths.map((path) => quote(shortBytes(path, longestPath))),
    most,
  );
  return [`${title}: ${[...kept, ...(left === 0 ? [] : [`and ${left} more`])].join(', ')}`];
}

export function shortBytes(text: string, bytes: number): string {
  return truncateMiddle(text, { mode: 'bytes', limit: bytes });
}
