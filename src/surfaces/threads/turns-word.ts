/** How many turns, at the beginning of a sentence. */
export function turnsWord(turns: readonly unknown[]): string {
  return turns.length === 1 ? 'One turn' : `${turns.length} turns`;
}
