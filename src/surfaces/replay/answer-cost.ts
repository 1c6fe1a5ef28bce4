import type { StepAnswered } from '../engine/rerun-step.ts';

/** What an answer cost in US dollars; undefined where no price is known. Prices are added here and nowhere else. */
export function answerCost(_answer: Pick<StepAnswered, 'model' | 'provider' | 'usage'>): number | undefined {
  return undefined;
}
