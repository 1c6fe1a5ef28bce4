import type { Outcome } from '../protocol/outcome.ts';

export interface EngineRefused {
  readonly kind: 'refused';
  readonly outcome: Outcome;
}

export function engineRefused(outcome: Outcome): EngineRefused {
  return { kind: 'refused', outcome };
}

/** In the layers below, the outcome and the refusal mark are one object. */
export type Refusal = Outcome & { readonly kind: 'refused' };

export function isRefusal(answer: { readonly kind: string }): answer is Refusal {
  return answer.kind === 'refused';
}

export function refusedBelow({ code, message, next }: Outcome): EngineRefused {
  return engineRefused({ code, message, next });
}
