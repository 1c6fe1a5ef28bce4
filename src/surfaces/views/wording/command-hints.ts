import { shellWords } from '../../../protocol/shell.ts';

/** What was said on the command line that the next run needs again. */
export interface RunToRepeat {
  readonly approvals?: string;
  readonly limits?: { readonly cost?: string; readonly tokens?: string };
}

/**
 * Runs as it stands when the user pastes it: without a prompt `exec resume` would wait for one, or refuse. `approvals`:
 * how the run before was to be answered, without which the next one would be refused what this one was asked about.
 * `limits`: those that were given with the run, without which the next one would have none.
 * `goalRests`: only a message that asks for it lets the thread continue with its goal.
 */
export function resumeCommand(
  id: string,
  { approvals, limits = {}, goalRests = false }: RunToRepeat & { readonly goalRests?: boolean } = {},
): string {
  const options = [
    ...(approvals === undefined ? [] : ['--approvals', approvals]),
    ...(limits.cost === undefined ? [] : ['--max-cost', limits.cost]),
    ...(limits.tokens === undefined ? [] : ['--max-tokens', limits.tokens]),
  ];
  return `${shellWords(['capstan', 'exec', 'resume', id, ...options])} "${goalRests ? 'Resume the goal.' : 'Continue.'}"`;
}

/** Runs as it stands when the user pastes it: asks what the thread waits for, and continues its turn. */
export function answerCommand(id: string, { approvals = 'ask' }: { readonly approvals?: string } = {}): string {
  return ['capstan exec resume', id, '--approvals', shellWords([approvals])].join(' ');
}

/** Longer lines are no help to read. */
const longestHint = 100;

/** A command line for a hint, as it can be run. `path` is all of it where the rest is too long, or cannot be shown. */
export function runnableHint(path: readonly string[], rest: readonly string[]): string {
  const line = shellWords(['capstan', ...path, ...rest]);
  return line.length > longestHint || /[`\n]/.test(line) ? shellWords(['capstan', ...path]) : line;
}
