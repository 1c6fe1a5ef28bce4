import type { PathRule } from '../protocol/resolved-policy.ts';

/**
 * Whether a write grant leads to another place than when the turn began. Another program has then put a link in its way,
 * and what the link leads to was never granted.
 */
export function isMoved({ access, place }: Pick<PathRule, 'access' | 'place'>, leadsTo: string): boolean {
  return access === 'write' && place !== undefined && place !== leadsTo;
}

/** What the model reads about it. */
export function movedRoot(path: string): { readonly message: string; readonly next: string } {
  return {
    message: `The writable folder ${JSON.stringify(path)} was moved or replaced while the turn ran, and now leads to another place.`,
    next: 'Put it back, or start the next turn in the folder that is meant.',
  };
}
