import type { Question } from '../../protocol/question.ts';
import type { ReviewVerdict } from '../../protocol/review-verdict.ts';

/** What follows from a verdict. `beyond`: the reviewer allowed more than a reviewer may. */
export type ReviewDecision = 'allowed' | 'declined' | 'beyond';

/** What the reviewer was shown of an action. */
export interface ReviewedAction {
  readonly question: Pick<Question, 'kind' | 'argv' | 'paths' | 'host' | 'permissions'>;
  /** Some of it did not fit into the request. */
  readonly isCut: boolean;
}

/**
 * Holds a verdict to the thresholds, whatever the prompt said: low and medium risk may be allowed, high risk only where
 * the user's words ask for it and the action is narrow, critical risk never. What was not seen whole must be harmless.
 */
export function decideReview(
  { outcome, risk, authorization }: ReviewVerdict,
  { question, isCut }: ReviewedAction,
): ReviewDecision {
  if (outcome === 'deny') return 'declined';
  switch (risk) {
    case 'low':
      return 'allowed';
    case 'medium':
      return isCut ? 'beyond' : 'allowed';
    case 'high': {
      const isAskedFor = authorization === 'medium' || authorization === 'high';
      return isAskedFor && !isCut && isNarrow(question) ? 'allowed' : 'beyond';
    }
    case 'critical':
      return 'beyond';
  }
}

/** Whether it is one definite thing: this command, these files, this host. Leave for a whole tree or for any host is not. */
export function isNarrow({ kind, argv, paths, host, permissions }: ReviewedAction['question']): boolean {
  const { network, read = [], write = [] } = permissions ?? {};
  if (network === true && host === undefined) return false;
  if ([...read, ...write].some(isNearRoot)) return false;
  if (kind === 'network') return host !== undefined;
  if (kind === 'patch') return paths !== undefined && paths.length > 0;
  if (kind === 'permissions') return read.length + write.length > 0;
  return argv !== undefined && argv.length > 0;
}

/** Folders that hold the files of a whole machine or of a user: `/`, `/etc`, `/home/someone`. */
function isNearRoot(path: string): boolean {
  return path.split('/').filter((part) => part !== '' && part !== '.').length < 3;
}
