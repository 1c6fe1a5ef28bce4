import type { Outcome, Refusal } from '../protocol/outcome.ts';

export type EngineRefused = { readonly kind: 'refused'; readonly outcome: Outcome };
export const engineRefused = (outcome: Outcome): EngineRefused => ({ kind: 'refused', outcome });
export const isRefusal = (answer: { readonly kind: string }): answer is Refusal => answer.kind === 'refused';
export const toEngineRefused = ({ code, message, next }: Outcome): EngineRefused =>
  engineRefused({ code, message, next });
