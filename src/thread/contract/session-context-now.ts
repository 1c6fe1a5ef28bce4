import type { StepFacts } from '../../envelope/facts.ts';
import { estimateTokens } from '../../fragments/text/truncate.ts';
import { type Contract, windowNow } from './contract-now.ts';

/** What all of it may have, in tokens: the figure, or this share of the window if that is less. */
const mostTokens = 4800;
const share = 0.1;

/**
 * What hooks said when the thread was opened, as far as those hooks are still there and may run: a file alone cannot
 * speak for a hook.
 */
export function sessionContextNow(contract: Contract): Pick<StepFacts, 'sessionContext'> {
  const { hooks } = contract.parts;
  if (hooks === undefined) return {};
  let left = Math.min(mostTokens, Math.floor(windowNow(contract).effective * share));
  const fitting = contract.log.state.sessionContext.filter(({ key, text }) => {
    if (!hooks.knows(key) || estimateTokens(text) > left) return false;
    left -= estimateTokens(text);
    return true;
  });
  return { sessionContext: fitting.map(({ text }) => text) };
}
