/** The answer of the tool that tells how much of the window is left. Undefined when nobody can say. */
export function contextRemaining(tokens: number | undefined): string {
  return tokens === undefined
    ? 'It is not known how many tokens are left in this context window.'
    : `Tokens left in this context window: ${tokens}`;
}
