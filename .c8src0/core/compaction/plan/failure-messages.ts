import type { ModelFailure } from '../../../ports/model.ts';
import { groupDigits, type Outcome, endWithFullStop } from '../../../protocol/outcome.ts';
import { type CompactionPlan, isAfterRefusal } from './compaction-plan.ts';
import { smallestBudget } from './plan-compaction.ts';
import { estimateTokens } from '../../fragments/text/truncate.ts';
import { loneSurrogateWords } from '../../../protocol/json.ts';

export const nothingToCompact: Outcome = {
  code: 'nothing-to-compact',
  message: 'Nothing to compact yet.',
  next: 'Continue the thread as it is.',
};

const saying =
  (what: string) =>
  ({ code, message, next }: ModelFailure): Outcome => ({ code, message: `${what} ${endWithFullStop(message)}`, next });

/** Any other request would fail alike, so no other way is tried. */
export const historyUnchanged = saying('The history was not compacted and is unchanged.');
/** Next step after a failure: ask the model, take less from it, or do without it. */
export type FallbackAfterFailure = 'ask-model' | 'plain-summary' | 'no-model';

const failedThen: Readonly<Record<FallbackAfterFailure, string>> = {
  'ask-model': 'The provider did not make the checkpoint itself, so Capstan asked the model for one.',
  'plain-summary': 'The model failed at first, so Capstan asked it for a plain summary.',
  'no-model': 'Capstan could not get a checkpoint from the model.',
};

export const modelFailedOutcome = (failure: ModelFailure, then: FallbackAfterFailure): Outcome =>
  saying(failedThen[then])(failure);

export const compactionAbortedOutcome = ({ budget }: CompactionPlan): Outcome => ({
  code: 'aborted',
  message: `The compaction was stopped. The history is unchanged, with about ${groupDigits(budget.before)} tokens.`,
  next: 'Compact again at any time.',
});

const unusableThen: Readonly<Record<FallbackAfterFailure, string>> = {
  'ask-model': "Capstan could not use the provider's own checkpoint and asked the model for one",
  'plain-summary': 'The model did not answer in the form that Capstan asked for, so this is a plain summary',
  'no-model': "The model's answers could not be used as a checkpoint",
};

export const unusableAnswersOutcome = (faults: readonly string[], then: FallbackAfterFailure): Outcome => ({
  code: 'compaction-answer-unusable',
  message: `${unusableThen[then]}: ${faults.map(endWithFullStop).join(' ')}`,
  next: 'Read the checkpoint before you continue, or roll back to before it and compact with another model.',
});

export const askedAgainText = (faults: readonly string[]): string =>
  `Capstan could not use the first answer and asked the model again: ${faults.map(endWithFullStop).join(' ')}`;

export const tooLargeForProviderOutcome = ({ budget }: CompactionPlan): Outcome => ({
  code: 'compaction-request-too-large',
  message: `The provider makes checkpoints only from the whole history, which does not fit: there is space for ${groupDigits(budget.request)} tokens.`,
  next: 'Capstan made the checkpoint in another way. To get one from the provider, compact earlier.',
});

export const requestTooLargeOutcome = ({ budget }: CompactionPlan, least: number): Outcome => ({
  code: 'compaction-request-too-large',
  message: `No checkpoint request fits the model: there is space for ${groupDigits(budget.request)} tokens, and instructions, tools and the question alone take about ${groupDigits(least)}.`,
  next: 'Choose a model with a larger window, offer fewer tools, or shorten the configured checkpoint prompt.',
});

export const refusedAsTooLongOutcome = (requests: number, weight: number): Outcome => ({
  code: 'context-window-exceeded',
  message: `The provider refused ${requests} checkpoint requests as too long; the last had about ${groupDigits(weight)} tokens by Capstan's estimate.`,
  next: 'Check the window configured for this model.',
});

export function noGainOutcome(plan: CompactionPlan, tokens: number): Outcome {
  const { budget, trigger } = plan;
  const isFar = isFarFromLimit(plan);
  const numbers = `with the context that is sent again it would have about ${groupDigits(tokens + budget.context)} tokens, and the limit is ${groupDigits(Math.min(budget.most, budget.gain) + budget.context)}; the history has ${groupDigits(budget.before)}.`;
  return {
    code: 'compaction-no-gain',
    message:
      isFar && trigger === 'manual'
        ? 'Nothing to compact yet: a checkpoint would save too little.'
        : `A checkpoint would not free enough space: ${numbers} The history is unchanged.`,
    next: isFar
      ? 'No action is needed: the thread is small enough to continue as it is.'
      : 'Start a new thread, roll back some turns, or choose a model with a larger window.',
  };
}

/** The history is so short that the frame of a checkpoint weighs more than it saves. */
export function wouldGrowOutcome(plan: CompactionPlan, tokens: number): Outcome {
  const { budget } = plan;
  return {
    code: 'compaction-would-grow',
    message: `A checkpoint would be no smaller than the history: about ${groupDigits(tokens + budget.context)} tokens instead of ${groupDigits(budget.before)}. The history is unchanged.`,
    next: isAfterRefusal(plan) ? 'Compacting does not help here.' : 'Continue the thread as it is.',
  };
}

/** By hand, before a model is asked: `tokens` is the minimum of every checkpoint, whatever the model writes. */
export const noGainExpectedOutcome = (plan: CompactionPlan, tokens: number): Outcome =>
  isFarFromLimit(plan) ? nothingToCompact : noGainOutcome(plan, tokens);

/** True if no space must be freed: by hand with a short history, or if the model only cannot read some of it. */
function isFarFromLimit({ trigger, reason, budget }: CompactionPlan): boolean {
  const { before, context, most } = budget;
  // If space must be freed, `most` is the largest gainful size.
  if (reason === 'comp_hash_changed') return true;
  return trigger === 'manual' && most > smallestBudget && before <= most + context;
}

export const candidateMalformedOutcome = (what: string): Outcome => ({
  code: 'compaction-candidate-malformed',
  message: `The checkpoint could not be used: ${what}`,
  next: 'Compact again, or choose another strategy.',
});

/** Share of a request for the focus; the rest is for the text to read. */
const share = 0.25;

export function focusProblem({ focus = '', budget }: CompactionPlan): Outcome | undefined {
  if (!focus.isWellFormed()) {
    return {
      code: 'focus-odd',
      message: `The focus of the checkpoint contains ${loneSurrogateWords}. The history is unchanged.`,
      next: 'Remove it and compact again.',
    };
  }
  const [tokens, most] = [estimateTokens(focus), Math.floor(budget.request * share)];
  if (tokens <= most) return undefined;
  return {
    code: 'focus-too-long',
    message: `The focus of the checkpoint has about ${groupDigits(tokens)} tokens; with this model the limit is ${groupDigits(most)}. The history is unchanged.`,
    next: 'Shorten it and compact again.',
  };
}
