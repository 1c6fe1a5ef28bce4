/** How much of each part the provider had in its cache, which holds the beginning of what was sent: in the order of the parts. */
export function cachedShares(tokens: readonly number[], cached: number): readonly number[] {
  let left = cached;
  return tokens.map((own) => {
    const share = Math.min(own, left);
    left -= share;
    return share;
  });
}
