import { shellWords } from '../../protocol/shell-words.ts';

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
