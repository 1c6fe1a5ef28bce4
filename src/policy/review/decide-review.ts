import type { Question } from '../../protocol/question.ts';
import type { ReviewVerdict } from '../../protocol/review-verdict.ts';

/** What follows from a verdict. `beyond`: the reviewer allowed more than a reviewer may. */
export type ReviewDecision = 'allowed' | 'declined' | 'beyond';

/** What the reviewer decided about. */
export type ReviewedAction = Pick<Question, 'kind' | 'commands' | 'paths' | 'host' | 'permissions'>;

/**
 * Holds a verdict to the thresholds, whatever the prompt said: low and medium risk may be allowed, high risk only where
 * the user's words ask for it and the action is narrow, critical risk never. The reviewer has seen all of the action.
 */
export function decideReview({ outcome, risk, authorization }: ReviewVerdict, action: ReviewedAction): ReviewDecision {
  if (outcome === 'deny') return 'declined';
  switch (risk) {
    case 'low':
    case 'medium':
      return 'allowed';
    case 'high': {
      const isAskedFor = authorization === 'medium' || authorization === 'high';
      return isAskedFor && isNarrow(action) ? 'allowed' : 'beyond';
    }
    case 'critical':
      return 'beyond';
  }
}

/**
 * Whether it is one definite thing: one command that is known from its words, these files, this host. A script of several
 * commands, or one that could not be read, is not; nor is leave for a whole tree or for any host.
 */
export function isNarrow({ kind, commands, paths, host, permissions }: ReviewedAction): boolean {
  const { network, read = [], write = [] } = permissions ?? {};
  if (network === true && host === undefined) return false;
  if ([...read, ...write].some(isNearRoot)) return false;
  if (kind === 'network') return host !== undefined;
  if (kind === 'patch') return paths !== undefined && paths.length > 0;
  if (kind === 'permissions') return read.length + write.length > 0;
  return commands?.length === 1;
}

/** Folders that hold the files of a whole machine or of a user: `/`, `/etc`, `/home/someone`. */
function isNearRoot(path: string): boolean {
  return path.split('/').filter((part) => part !== '' && part !== '.').length < 3;
}
