import type { Goal, GoalStatus } from '../../protocol/goal.ts';
import { count } from './number-words.ts';

const standings: Readonly<Record<GoalStatus, string>> = {
  active: 'active',
  paused: 'paused',
  blocked: 'blocked',
  usageLimited: 'stopped by the usage limit',
  budgetLimited: 'out of tokens',
  complete: 'complete',
};

/** `goal paused` */
export function goalStanding(status: GoalStatus): string {
  return `goal ${standings[status]}`;
}

/** What a goal has used: `1,200 of 5,000 tokens`. */
export function goalCost({ tokensUsed, tokenBudget }: Pick<Goal, 'tokensUsed' | 'tokenBudget'>): string {
  return tokenBudget === undefined
    ? `${count(tokensUsed)} tokens used`
    : `${count(tokensUsed)} of ${count(tokenBudget)} tokens used`;
}
