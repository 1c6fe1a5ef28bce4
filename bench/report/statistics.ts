/** The middle of what was measured, where four fifths of it lie, and what only one in twenty exceeds. */
export interface Distribution {
  readonly median: number;
  readonly p10: number;
  readonly p90: number;
  readonly p95: number;
  readonly count: number;
}

export function distribution(samples: readonly number[]): Distribution {
  if (samples.length === 0) throw new RangeError('nothing was measured');
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (share: number): number => quantile(sorted, share);
  return { median: at(0.5), p10: at(0.1), p90: at(0.9), p95: at(0.95), count: sorted.length };
}

/** Between two neighbours, in proportion. */
function quantile(sorted: readonly number[], share: number): number {
  const place = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0];
  return below + (above - below) * (place - Math.floor(place));
}

/** The differences between neighbours of a series. */
export function differences(series: readonly number[]): readonly number[] {
  return series.slice(1).map((value, index) => value - (series[index] ?? 0));
}
