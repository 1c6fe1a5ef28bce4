import { defineFragment } from './define.ts';

export interface RolloutBudgetText {
  /** Weighted tokens. */
  readonly remaining: number;
}

export const rolloutBudgetFragment = defineFragment<RolloutBudgetText>({
  id: 'rollout-budget',
  purpose: 'How much of the budget is left that a thread shares with its agents.',
  role: 'developer',
  markers: ['<rollout_budget>', '</rollout_budget>'],
  capTokens: 100,
  body: ({ remaining }) =>
    `\nWeighted tokens left for this thread and all its agents together: ${Math.max(0, Math.floor(remaining))}. When they are used up, no request is answered any more.\n`,
});
