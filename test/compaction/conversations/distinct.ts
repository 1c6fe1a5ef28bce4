import type { Sent } from './play.ts';

export interface DistinctSent extends Sent {
  /** The turns in which the same was sent before. */
  readonly also: readonly number[];
}

/** Words that were sent again stand where they were sent last. */
export function distinct(sent: readonly Sent[]): readonly DistinctSent[] {
  const same = (one: Sent, other: Sent): boolean =>
    one.pictures + other.pictures === 0 && one.by === other.by && one.text === other.text;
  return sent
    .filter((one, index) => !sent.slice(index + 1).some((other) => same(one, other)))
    .map((one) => ({
      ...one,
      also: sent.filter((other) => other !== one && same(one, other)).map(({ number }) => number),
    }));
}
