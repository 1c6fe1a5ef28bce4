import { type VisibleEntry, type VisibleFiles, visibleFiles } from './visible-files.ts';
import type { TimeSlicer } from './yield-to-event-loop.ts';

export interface FileSearch extends VisibleFiles {
  readonly typed: string;
  /** False for paths below the root that are left out. */
  isMeant?(inside: string): boolean;
  readonly limit: number;
}

export interface FoundFiles {
  /** Best first. */
  readonly files: readonly FoundFile[];
  /** Number of matches, including those beyond the limit. */
  readonly total: number;
  /** Some folders were not searched: there are too many entries. */
  readonly isPartial: boolean;
}

/** Finds files and folders by letters of their paths. Rejects with `Stopped`. */
export async function findFiles(search: FileSearch): Promise<FoundFiles> {
  const best = new BestFiles(search.limit);
  const files = visibleFiles(search);
  for (;;) {
    const { done, value } = await files.next();
    if (done === true) return { files: best.sorted(), total: best.total, isPartial: value };
    const { inside: path, kind } = value;
    const rank = search.isMeant?.(path) === false ? undefined : rankPath(path, search.typed);
    if (rank !== undefined) best.add({ path, kind, rank });
  }
}

export type FoundFile = { readonly path: string; readonly kind: 'file' | 'folder'; readonly rank: number };

/** Keeps the best of many in little memory. */
export class BestFiles {
  readonly #limit: number;
  #kept: FoundFile[] = [];
  total = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(file: FoundFile): void {
    this.total++;
    this.#kept.push(file);
    if (this.#kept.length >= 2 * this.#limit + 100) this.#kept = [...this.sorted()];
  }

  sorted(): readonly FoundFile[] {
    const order = (a: FoundFile, b: FoundFile): number => b.rank - a.rank || (a.path < b.path ? -1 : 1);
    return this.#kept.toSorted(order).slice(0, this.#limit);
  }
}

/** Higher is better. Case counts only with upper case in the text. Gaps leave room to order equal ranks. */
export function rankPath(path: string, typed: string): number | undefined {
  if (typed === '') return 0;
  const isExact = typed !== typed.toLowerCase();
  const [text, wanted] = isExact ? [path, typed] : [path.toLowerCase(), typed];
  const name = text.slice(text.lastIndexOf('/') + 1);
  const shorter = 100 / (1 + path.length);
  if (name === wanted || text === wanted) return 10_000 + shorter;
  if (name.lastIndexOf('.') === wanted.length && name.startsWith(wanted)) return 9000 + shorter;
  const inName = name.indexOf(wanted);
  if (inName >= 0) return (inName === 0 ? 8000 : startsWord(name, inName) ? 7000 : 6000) + shorter;
  const inPath = text.indexOf(wanted);
  if (inPath >= 0) return (startsWord(text, inPath) ? 5000 : 4000) + shorter;
  const spreadInName = spread(name, wanted);
  if (spreadInName !== undefined) return 3000 - Math.min(900, spreadInName) + shorter;
  const spreadInPath = spread(text, wanted);
  return spreadInPath === undefined ? undefined : 2000 - Math.min(900, spreadInPath) + shorter;
}

const startsWord = (text: string, at: number): boolean => at === 0 || /[^a-z0-9]/i.test(text[at - 1] ?? '');

/** Number of letters between the typed ones, in their order. Linear in the text. */
function spread(text: string, wanted: string): number | undefined {
  let at = -1;
  let first = -1;
  for (const letter of wanted) {
    at = text.indexOf(letter, at + 1);
    if (at < 0) return undefined;
    if (first < 0) first = at;
  }
  return at - first + 1 - wanted.length;
}

export interface ContentSearch {
  /** Returns whether entries were left out because there are too many. */
  readonly entries: AsyncIterator<VisibleEntry, boolean>;
  readonly pace: TimeSlicer;
  matches(line: string): boolean;
  /** True if the file at this path below the root is searched. */
  isMeant(inside: string): boolean;
  /** Undefined for a file that may not be read or is gone. */
  read(path: string): Uint8Array | undefined;
  readonly limit: number;
  isLate(): boolean;
}

export interface FoundLine {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

export interface FoundLines {
  readonly lines: readonly FoundLine[];
  readonly files: number;
  /** Number of files too large to search. */
  readonly skipped: number;
  /** Why the search ended early. Absent: it did not. */
  readonly ended?: 'limit' | 'time' | 'entries';
}

/** Larger files hold data rather than text that people wrote. */
export const mostSearchedBytes = 2 * 1024 * 1024;

/** Finds lines in text files. Rejects with `Stopped`. */
export async function searchContents(search: ContentSearch): Promise<FoundLines> {
  const { entries, pace, limit } = search;
  const lines: FoundLine[] = [];
  let [read, skipped] = [0, 0];
  for (;;) {
    const { done, value } = await entries.next();
    if (done === true) return { lines, files: read, skipped, ...(value ? { ended: 'entries' as const } : {}) };
    const { path, inside, kind, size } = value;
    if (search.isLate()) return { lines, files: read, skipped, ended: 'time' };
    if (kind !== 'file' || !search.isMeant(inside)) continue;
    if (size > mostSearchedBytes) {
      skipped++;
      continue;
    }
    const bytes = search.read(path);
    if (bytes === undefined || bytes.subarray(0, 8000).includes(0)) continue;
    read++;
    const texts = new TextDecoder().decode(bytes).split(/\r\n|\n/);
    for (const [at, text] of texts.entries()) {
      if (pace.isDue(1 + text.length / 100)) {
        await pace.rest();
        if (search.isLate()) return { lines, files: read, skipped, ended: 'time' };
      }
      if (!search.matches(text)) continue;
      if (lines.length === limit) return { lines, files: read, skipped, ended: 'limit' };
      lines.push({ path: inside, line: at + 1, text });
    }
  }
}
