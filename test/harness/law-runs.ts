import { inject } from 'vitest';

export interface LawRuns {
  /** In the fast tests. */
  readonly few: number;
  /** Times the factor in all others. */
  readonly usual: number;
}

/** The number of tries of a law of which a single run takes long. */
export function lawRuns({ few, usual }: LawRuns): number {
  const factor = inject('runFactor');
  return factor === 1 ? few : usual * factor;
}
