import type { Pace } from './pace.ts';
import type { VisibleEntry } from './visible-files.ts';

export interface ContentSearch {
  /** What is looked through. Returns whether some of it was left out because there is too much. */
  readonly entries: AsyncIterator<VisibleEntry, boolean>;
  readonly pace: Pace;
  /** Whether a line is wanted. */
  matches(line: string): boolean;
  /** Whether a file is looked into, by its path below the root. */
  isMeant(inside: string): boolean;
  /** The bytes of a file; undefined where it may not be read, or is no file any more. */
  read(path: string): Uint8Array | undefined;
  /** How many lines are given at most. */
  readonly limit: number;
  /** Whether the time is over. */
  isLate(): boolean;
}

export interface FoundLine {
  /** Below the root. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

export interface FoundLines {
  readonly lines: readonly FoundLine[];
  /** How many files were looked into. */
  readonly files: number;
  /** Files that are too large to be looked into. */
  readonly skipped: number;
  /** What ended the search before all was seen; absent: nothing did. */
  readonly ended?: 'limit' | 'time' | 'entries';
}

/** Larger files hold data rather than text that people wrote. */
export const mostSearchedBytes = 2 * 1024 * 1024;

/** Finds lines in files that hold text. Rejects with `Stopped`. */
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
    for (const [at, text] of new TextDecoder()
      .decode(bytes)
      .split(/\r\n|\n/)
      .entries()) {
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
