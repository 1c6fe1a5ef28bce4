import type { Outcome } from '../../protocol/outcome.ts';

export interface EngineRefused {
  readonly kind: 'refused';
  readonly outcome: Outcome;
}

export function refused(outcome: Outcome): EngineRefused {
  return { kind: 'refused', outcome };
}
