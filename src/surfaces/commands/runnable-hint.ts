import { shellWords } from '../../protocol/shell-words.ts';

/** Longer lines are no help to read. */
const longestHint = 100;

/** A command line for a hint, as it can be run. `path` is all of it where the rest is too long, or cannot be shown. */
export function runnableHint(path: readonly string[], rest: readonly string[]): string {
  const line = shellWords(['capstan', ...path, ...rest]);
  return line.length > longestHint || /[`\n]/.test(line) ? shellWords(['capstan', ...path]) : line;
}
