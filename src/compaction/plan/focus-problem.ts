import { estimateTokens } from '../../fragments/text/truncate.ts';
import { halfCharacter } from '../../protocol/odd-text.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { CompactionPlan } from './plan.ts';

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
