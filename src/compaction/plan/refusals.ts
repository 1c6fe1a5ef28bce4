import type { ModelFailure } from '../../ports/model-client.ts';
import { type Outcome, sentence } from '../../protocol/outcome.ts';
import type { CompactionPlan } from './plan.ts';
import { leastMost } from './plan-compaction.ts';
import { estimateTokens } from '../../fragments/text/truncate.ts';
import { halfCharacter } from '../../protocol/odd-text.ts';

/** Why a compaction came to nothing, or went another way, for people. */

export const nothingToCompact: Outcome = {
  code: 'nothing-to-compact',
  message: 'There is nothing to compact: nothing has been said or done since the thread began or was last compacted.',
  next: 'Go on with the thread as it is.',
};

const saying =
  (what: string) =>
  ({ code, message, next }: ModelFailure): Outcome => ({ code, message: `${what} ${sentence(message)}`, next });

/** The same would happen to any other request, so no other way is tried. */
export const stands = saying('History was not compacted and stands as it was.');

export const modelFailed = saying('The model could not be asked for a checkpoint.');

export function compactionAborted({ budget }: CompactionPlan): Outcome {
  return {
    code: 'aborted',
    message: `The compaction was stopped. History stands as it was, with about ${budget.before} tokens.`,
    next: 'Compact again when it suits you.',
  };
}

export function unusableAnswers(faults: readonly string[]): Outcome {
  return {
    code: 'compaction-answer-unusable',
    message: `The model's answers could not be used as a checkpoint: ${faults.map(sentence).join(' ')}`,
    next: 'Read the checkpoint before you continue, or roll back to before it and compact with another model.',
  };
}

/** The second answer was good. */
export function askedAgain(faults: readonly string[]): string {
  return `The first answer could not be used, and the model was asked once more: ${faults.map(sentence).join(' ')}`;
}

export function tooLargeForProvider({ budget }: CompactionPlan): Outcome {
  return {
    code: 'compaction-request-too-large',
    message: `The provider makes a checkpoint only from the whole history, and that does not fit: there is room for ${budget.request} tokens.`,
    next: 'Go on: the checkpoint was made in another way. Compact earlier if you want one of the provider.',
  };
}

export function requestTooLarge({ budget }: CompactionPlan, least: number): Outcome {
  return {
    code: 'compaction-request-too-large',
    message: `No request for a checkpoint fits the model: there is room for ${budget.request} tokens, and beside instructions, tools and the question, about ${least}, nothing of history finds place.`,
    next: 'Choose a model with a larger window, offer fewer tools, or shorten a prompt for checkpoints that is configured.',
  };
}

export function refusedAsTooLong(requests: number, weight: number): Outcome {
  return {
    code: 'context-window-exceeded',
    message: `The provider refused requests for a checkpoint as too long, ${requests} in all; the last weighed about ${weight} tokens by Capstan's estimate.`,
    next: 'Check the window that is configured for this model.',
  };
}

/** The numbers that a checkpoint was measured by. */
export function noGain(plan: CompactionPlan, tokens: number): Outcome {
  const { budget } = plan;
  return {
    code: 'compaction-no-gain',
    message: `A checkpoint would not make enough room: with the context that is sent again it weighs about ${tokens + budget.context} tokens, the history weighs ${budget.before}, and at most ${Math.min(budget.most, budget.gain) + budget.context} may be left. History stands as it was.`,
    next: isFarFromLimit(plan)
      ? 'Nothing needs doing: the thread is small enough to go on as it is.'
      : 'Start a new thread, roll back some turns, or choose a model with a larger window.',
  };
}

/** By hand, a history below what a checkpoint may weigh is in no need. A smallest value says nothing of the limit. */
function isFarFromLimit({ trigger, budget }: CompactionPlan): boolean {
  const { before, context, most } = budget;
  return trigger === 'manual' && most > leastMost && before <= most + context;
}

export function candidateMalformed(what: string): Outcome {
  return {
    code: 'compaction-candidate-malformed',
    message: `The checkpoint could not be used: ${what}`,
    next: 'Compact again, or choose another strategy.',
  };
}

/** Of a request, the part that may say what is to be kept in view: the rest is for what is to be read. */
const share = 0.25;

/** Why no model can be asked with this focus; undefined when it leaves space for the history. */
export function focusProblem({ focus = '', budget }: CompactionPlan): Outcome | undefined {
  if (!focus.isWellFormed()) {
    return {
      code: 'focus-odd',
      message: `What the checkpoint shall keep in view holds ${halfCharacter}. History stands as it was.`,
      next: 'Take it out and ask again.',
    };
  }
  const [tokens, most] = [estimateTokens(focus), Math.floor(budget.request * share)];
  if (tokens <= most) return undefined;
  return {
    code: 'focus-too-long',
    message: `What the checkpoint shall keep in view has about ${tokens} tokens; with this model it may have ${most}. History stands as it was.`,
    next: 'Say it in fewer words.',
  };
}
