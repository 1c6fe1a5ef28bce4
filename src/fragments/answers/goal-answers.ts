import type { Goal } from '../../protocol/goal.ts';

/** What the tools about goals answer, in the form of Codex. */
export function goalAnswer(threadId: string, goal: Goal | undefined): string {
  const left = goal?.tokenBudget === undefined ? null : Math.max(0, goal.tokenBudget - goal.tokensUsed);
  return JSON.stringify({
    goal: goal === undefined ? null : { threadId, ...shown(goal) },
    remainingTokens: left,
    completionBudgetReport: goal?.status === 'complete' ? report(goal) : null,
  });
}

function shown({ objective, status, tokenBudget, tokensUsed, timeUsedSeconds, createdAt, updatedAt }: Goal): Goal {
  const times = { timeUsedSeconds, createdAt, updatedAt };
  return { objective, status, ...(tokenBudget === undefined ? {} : { tokenBudget }), tokensUsed, ...times };
}

function report({ tokensUsed, tokenBudget, timeUsedSeconds }: Goal): string {
  const of = tokenBudget === undefined ? '' : ` of ${tokenBudget}`;
  return `The goal took ${tokensUsed}${of} tokens and ${timeUsedSeconds} seconds. Tell the user.`;
}

export const goalExists =
  'This thread has a goal that is not complete. Continue with it, or change it with update_goal; "active" resumes one that rests.';

export const budgetIsUsers =
  'Only the user gives the goal more tokens, and has said nothing since it continued by itself. Say what is done and what is left.';

export const noGoal = 'This thread has no goal. Only the user decides that there is one.';
