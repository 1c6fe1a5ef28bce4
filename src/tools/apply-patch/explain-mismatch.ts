import { type SearchedLines, SearchEffort, searchLines, seekLines, TooMuchToSearch } from './seek-lines.ts';

/** Lines that a chunk expected and that were not where it looked for them. */
export interface Mismatch {
  readonly fileLines: readonly string[];
  readonly expected: readonly string[];
  readonly atEnd: boolean;
}

const mostLines = 20;
const mostCharacters = 2000;
/** Comparisons that a hint is worth. */
const mostWork = 5_000_000;

/** Where the lines are instead, or what comes closest to them. Undefined when nothing does, or the search takes too long. */
export function explainMismatch({ fileLines, expected, atEnd }: Mismatch): string | undefined {
  const lines = searchLines(fileLines);
  try {
    const options = { from: 0, atEnd: false, effort: new SearchEffort(mostWork) };
    const elsewhere = expected.length === 0 ? undefined : seekLines(lines, expected, options);
    if (elsewhere !== undefined) {
      const order = 'before the previous chunk or the @@ line: chunks come in the order of the file';
      return `They stand at line ${elsewhere + 1}, ${atEnd ? 'which is not the end of the file' : order}.`;
    }
  } catch (error) {
    if (error instanceof TooMuchToSearch) return undefined;
    throw error;
  }
  const at = closest(lines, searchLines(expected));
  if (at === undefined) return undefined;
  const shown = fileLines.slice(at, at + Math.min(expected.length, mostLines)).join('\n');
  return `The closest lines of the file are these, from line ${at + 1} on:\n${shown.slice(0, mostCharacters)}`;
}

/** Where most lines fit, compared in the loosest way; at least half of them must, and one that is not blank. */
function closest(lines: SearchedLines, pattern: SearchedLines): number | undefined {
  if (lines.count * pattern.count > mostWork) return undefined;
  const [file, wanted] = [lines.form(3), pattern.form(3)];
  let best: { readonly at: number; readonly hits: number } | undefined;
  for (let at = 0; at < lines.count; at++) {
    let hits = 0;
    let words = 0;
    for (const [offset, line] of wanted.entries()) {
      if (file[at + offset] !== line) continue;
      hits++;
      if (line !== '') words++;
    }
    if (words > 0 && hits * 2 >= pattern.count && hits > (best?.hits ?? 0)) best = { at, hits };
  }
  return best?.at;
}
