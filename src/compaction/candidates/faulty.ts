import type { Candidate } from './candidate.ts';

/** An answer that no checkpoint can be made from. Each fault is a sentence for the model that gave it. */
export interface Faulty {
  readonly kind: 'faulty';
  readonly faults: readonly string[];
}

export function faulty(...faults: readonly string[]): Faulty {
  return { kind: 'faulty', faults };
}

export function isFaulty(result: Candidate | Faulty): result is Faulty {
  return 'faults' in result;
}
