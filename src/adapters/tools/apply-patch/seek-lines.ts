import { trimLine, trimLineEnd } from './patch.ts';

/** The lines of a file, prepared for increasingly loose searches. */
export interface SearchableLines {
  readonly count: number;
  /** The lines as the pass compares them; made on first use. */
  form(pass: number): readonly string[];
  /** The lines as numbers: lines that this pass regards as equal have the same number. */
  numbered(pass: number): NumberedLines;
}

type NumberedLines = { readonly numbers: readonly number[]; readonly known: ReadonlyMap<string, number> };

/** From exact to loose. A looser pass begins only if the stricter ones found nothing anywhere. */
const passes: readonly ((line: string) => string)[] = [
  (line) => line,
  trimLineEnd,
  trimLine,
  (line) => foldTypography(trimLine(line)),
];

export function toSearchableLines(lines: readonly string[]): SearchableLines {
  const forms: (readonly string[])[] = [];
  const numbered: NumberedLines[] = [];
  const form = (pass: number): readonly string[] => (forms[pass] ??= lines.map(passes[pass]!));
  return { count: lines.length, form, numbered: (pass) => (numbered[pass] ??= numberLines(form(pass))) };
}

function numberLines(lines: readonly string[]): NumberedLines {
  const known = new Map<string, number>();
  const numbers = lines.map((line) => {
    const number = known.get(line) ?? known.size;
    if (number === known.size) known.set(line, number);
    return number;
  });
  return { numbers, known };
}

/** Limit of comparisons for one patch: a fraction of a second. */
export const mostComparisons = 20_000_000;

export class TooMuchToSearch extends Error {}

/** One for all chunks of a patch. */
export class SearchEffort {
  readonly #most: number;
  spent = 0;

  constructor(most: number = mostComparisons) {
    this.#most = most;
  }

  spend(comparisons: number): void {
    this.spent += comparisons;
    if (this.spent > this.#most) throw new TooMuchToSearch();
  }
}

export type SeekOptions = { readonly from: number; readonly atEnd: boolean; readonly effort: SearchEffort };

/**
 * The first match of the strictest pass that has one. An empty pattern matches where the search begins. Each pass takes
 * time proportional to the number of lines in file and pattern.
 */
export function seekLines(
  lines: SearchableLines,
  pattern: readonly string[],
  { from, atEnd, effort }: SeekOptions,
): number | undefined {
  if (pattern.length === 0) return from;
  const last = lines.count - pattern.length;
  const first = atEnd ? Math.max(from, last) : from;
  if (first > last) return undefined;
  for (const [pass, compared] of passes.entries()) {
    effort.spend(pattern.length);
    const { numbers, known } = lines.numbered(pass);
    const wanted = pattern.map((line) => known.get(compared(line)));
    // A line that the file does not have rules out a match.
    if (!wanted.every((number) => number !== undefined)) continue;
    const at = findRun(numbers, wanted, { from: first, effort });
    if (at !== undefined) return at;
  }
  return undefined;
}

/** Knuth-Morris-Pratt: never goes back in the numbers. */
function findRun(
  numbers: readonly number[],
  wanted: readonly number[],
  { from, effort }: Pick<SeekOptions, 'from' | 'effort'>,
): number | undefined {
  const fallback = fallbacksOf(wanted);
  let matched = 0;
  for (let at = from; at < numbers.length; at++) {
    // Count one comparison per number: the match cannot fall back more often than it has advanced.
    if ((at - from) % countedAtOnce === 0) effort.spend(Math.min(countedAtOnce, numbers.length - at));
    while (matched > 0 && numbers[at] !== wanted[matched]) matched = fallback[matched - 1] as number;
    if (numbers[at] === wanted[matched]) matched++;
    if (matched === wanted.length) return at - wanted.length + 1;
  }
  return undefined;
}

const countedAtOnce = 1024;

function fallbacksOf(wanted: readonly number[]): readonly number[] {
  const fallback = [0];
  let matched = 0;
  for (let at = 1; at < wanted.length; at++) {
    while (matched > 0 && wanted[at] !== wanted[matched]) matched = fallback[matched - 1] as number;
    if (wanted[at] === wanted[matched]) matched++;
    fallback.push(matched);
  }
  return fallback;
}

/** Replaces typographic characters by plain ones: models write plain ones for a file's typographic ones. */
function foldTypography(text: string): string {
  return text
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u2018-\u201b]/g, "'")
    .replace(/[\u201c-\u201f]/g, '"')
    .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, ' ');
}

export interface LineMismatch {
  readonly fileLines: readonly string[];
  readonly expected: readonly string[];
  readonly atEnd: boolean;
}

const mostLines = 20;
const mostCharacters = 2000;
const mostWork = 5_000_000;

/** Says where the lines are, or which are closest. Undefined if none are close or the search takes too long. */
export function explainMismatch({ fileLines, expected, atEnd }: LineMismatch): string | undefined {
  const lines = toSearchableLines(fileLines);
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
  const at = closest(lines, toSearchableLines(expected));
  if (at === undefined) return undefined;
  const shown = fileLines.slice(at, at + Math.min(expected.length, mostLines)).join('\n');
  return `The closest lines of the file are these, from line ${at + 1} on:\n${shown.slice(0, mostCharacters)}`;
}

/** Finds where most lines match in the loosest comparison: at least half, including one that is not blank. */
function closest(lines: SearchableLines, pattern: SearchableLines): number | undefined {
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
