/** How much a reviewer is shown, in tokens. */
export interface ReviewBudgets {
  readonly messages: number;
  readonly tools: number;
  readonly message: number;
  readonly tool: number;
  /** The action with all that belongs to it. */
  readonly action: number;
  /** Each reason within it. */
  readonly reason: number;
}

const whole: ReviewBudgets = {
  messages: 10_000,
  tools: 10_000,
  message: 2000,
  tool: 1000,
  action: 16_000,
  reason: 512,
};

/** How many entries of the transcript are shown at most. */
export const mostReviewEntries = 40;

/** What all of it takes, with the instructions. */
const wholeSpace = 40_000;

/** In a small window everything shrinks by the same share. */
export function reviewBudgets(space: number): ReviewBudgets {
  const share = Math.min(1, Math.max(0.02, space / wholeSpace));
  const shares = Object.entries(whole).map(([name, tokens]) => [name, Math.floor(tokens * share)]);
  return Object.fromEntries(shares) as unknown as ReviewBudgets;
}
