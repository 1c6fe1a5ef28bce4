/** Whole numbers in the ratio of the weights that sum to the total: what rounding left over goes to the largest remainders. */
export function apportion(weights: readonly number[], total: number): readonly number[] {
  const weight = weights.reduce((sum, each) => sum + each, 0);
  // Nothing weighs anything and yet there is something to share: all get alike.
  if (weight === 0 && weights.length > 0)
    return apportion(
      weights.map(() => 1),
      total,
    );
  const wanted = weights.map((each) => (each * total) / weight);
  const shares = wanted.map(Math.floor);
  const byRemainder = wanted.map((_, index) => index);
  byRemainder.sort((a, b) => wanted[b]! - shares[b]! - (wanted[a]! - shares[a]!) || a - b);
  const left = total - shares.reduce((sum, each) => sum + each, 0);
  for (const index of byRemainder.slice(0, left)) shares[index]!++;
  return shares;
}
