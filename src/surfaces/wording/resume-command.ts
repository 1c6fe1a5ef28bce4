import { shellWords } from '../../protocol/shell-words.ts';

/**
 * Runs as it stands when the user pastes it: without a prompt `exec resume` would wait for one, or refuse. `approvals`:
 * how the run before was to be answered, without which the next one would be refused what this one was asked about.
 * `goalRests`: only a message that asks for it lets the thread continue with its goal.
 */
export function resumeCommand(
  id: string,
  { approvals, goalRests = false }: { readonly approvals?: string; readonly goalRests?: boolean } = {},
): string {
  const option = approvals === undefined ? '' : ` --approvals ${shellWords([approvals])}`;
  return `capstan exec resume ${id}${option} "${goalRests ? 'Resume the goal.' : 'Continue.'}"`;
}
