import { quoteShellCommand } from '../../../protocol/shell.ts';

type SpendingLimits = { readonly cost?: string; readonly tokens?: string };
/** Command-line options that the next run needs again. */
export type RepeatedRunOptions = { readonly approvals?: string; readonly limits?: SpendingLimits };

/**
 * A command that can be pasted and run: without a prompt `exec resume` would wait for one, or refuse. `goalRests`: only
 * a message that asks for it lets the thread continue with its goal.
 */
export function resumeCommand(
  id: string,
  { approvals, limits = {}, goalRests = false }: RepeatedRunOptions & { readonly goalRests?: boolean } = {},
): string {
  const options = [
    ...(approvals === undefined ? [] : ['--approvals', approvals]),
    ...(limits.cost === undefined ? [] : ['--max-cost', limits.cost]),
    ...(limits.tokens === undefined ? [] : ['--max-tokens', limits.tokens]),
  ];
  return `${quoteShellCommand(['capstan', 'exec', 'resume', id, ...options])} "${goalRests ? 'Resume the goal.' : 'Continue.'}"`;
}

/** A command that can be pasted and run: asks the thread's open questions, and continues its turn. */
export const answerCommand = (id: string, { approvals = 'ask' }: { readonly approvals?: string } = {}): string =>
  ['capstan exec resume', id, '--approvals', quoteShellCommand([approvals])].join(' ');

const longestHint = 100;

/** A runnable command line for a hint. Only `path` if the rest is too long, or cannot be shown. */
export function runnableHint(path: readonly string[], rest: readonly string[]): string {
  const line = quoteShellCommand(['capstan', ...path, ...rest]);
  return line.length > longestHint || /[`\n]/.test(line) ? quoteShellCommand(['capstan', ...path]) : line;
}
