import type { Outcome } from '../protocol/outcome.ts';

export type EngineRefused = { readonly kind: 'refused'; readonly outcome: Outcome };

export const engineRefused = (outcome: Outcome): EngineRefused => ({ kind: 'refused', outcome });
/** In the layers below, the outcome and the refusal mark are one object. */
export type Refusal = Outcome & { readonly kind: 'refused' };

export const isRefusal = (answer: { readonly kind: string }): answer is Refusal => answer.kind === 'refused';
export const refusedBelow = ({ code, message, next }: Outcome): EngineRefused => engineRefused({ code, message, next });
