import type { PathRule } from '../protocol/resolved-policy.ts';

/** Whether a grant leads elsewhere than when it was made: where a new link leads was never granted. */
export function isMoved({ access, place }: Pick<PathRule, 'access' | 'place'>, leadsTo: string): boolean {
  return access !== 'deny' && place !== undefined && place !== leadsTo;
}

/** What the model reads about it. */
export function movedRoot(path: string) {
  const fate = 'was moved or replaced during the turn and now leads to another place';
  const message = `The writable folder ${JSON.stringify(path)} ${fate}.`;
  return { message, next: 'Move it back, or start the next turn in the right folder.' };
}
