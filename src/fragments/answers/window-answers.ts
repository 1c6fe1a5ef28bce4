/** Undefined: the size of the window is not known. */
export function contextLeft(tokens: number | undefined): string {
  if (tokens === undefined) return 'How many tokens are left in this context window is not known.';
  return `You have ${Math.max(0, tokens)} tokens left in this context window.`;
}

export const newContextFollows =
  'A new context window starts after this step. What you know by then is compacted into a checkpoint, with the words of the user kept.';
