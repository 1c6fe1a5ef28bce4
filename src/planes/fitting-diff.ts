import { omittedIn } from '../protocol/omitted-output.ts';

export interface FittingDiff {
  readonly text: string;
  /** Files that did not fit, by their names in the diff. */
  readonly leftOut: readonly string[];
  /** Its middle is missing, and with it perhaps the names of files. */
  readonly isCut: boolean;
}

/** Whole files of a diff, in their order, as far as they fit. Half a file would be judged as if it were all. */
export function fittingDiff(diff: string, budget: number, weigh: (text: string) => number): FittingDiff {
  const files = diff.split(/^(?=diff --git )/m).filter((text) => text.trim() !== '');
  const kept: string[] = [];
  const leftOut: string[] = [];
  let left = budget;
  // No line of a diff itself begins so: each has a sign before it.
  const isCut = (text: string): boolean => omittedIn(text) !== undefined;
  for (const file of files) {
    const tokens = weigh(file);
    if (tokens <= left && !isCut(file)) {
      kept.push(file);
      left -= tokens;
    } else {
      leftOut.push(nameIn(file));
    }
  }
  return { text: kept.join('').trimEnd(), leftOut, isCut: isCut(diff) };
}

function nameIn(file: string): string {
  const [first = ''] = file.split('\n', 1);
  return /^diff --git (?:"?a\/.*?"?) "?b\/(?<name>.*?)"?$/.exec(first)?.groups?.['name'] ?? first;
}
