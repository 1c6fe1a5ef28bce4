import { defineFragment } from './define.ts';

export interface TokenBudgetReminderText {
  readonly remaining: number;
  /** In the place of our own text; `{n_remaining}` stands for the number. */
  readonly template?: string;
}

export const tokenBudgetReminderFragment = defineFragment<TokenBudgetReminderText>({
  id: 'token-budget-reminder',
  purpose: 'The window is nearly full.',
  role: 'developer',
  markers: ['<token_budget>', '</token_budget>'],
  capTokens: 600,
  body: ({ remaining, template = nearlyFull }) => `\n${template.replaceAll('{n_remaining}', String(remaining))}\n`,
});

const nearlyFull =
  'About {n_remaining} tokens are left in this context window. Bring the present step to an end and note what must not be lost.';

export interface TokenBudgetFallbackText {
  readonly prompt: string;
}

export const tokenBudgetFallbackFragment = defineFragment<TokenBudgetFallbackText>({
  id: 'token-budget-fallback',
  purpose: 'The window is full: the last thing to do in it.',
  role: 'developer',
  markers: ['<token_budget_fallback>', '</token_budget_fallback>'],
  capTokens: 600,
  body: ({ prompt }) => `\n${prompt}\n`,
});
