import type { Outcome } from '../../protocol/outcome.ts';

export interface EngineRefused {
  readonly kind: 'refused';
  readonly outcome: Outcome;
}

export function engineRefused(outcome: Outcome): EngineRefused {
  return { kind: 'refused', outcome };
}
