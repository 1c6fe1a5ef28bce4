import { contextBudget } from '../../envelope/context-shares.ts';
import type { StepFacts } from '../../envelope/facts.ts';
import { estimateTokens } from '../../fragments/text/truncate.ts';
import { type Contract, windowNow } from './contract-now.ts';

/**
 * What hooks said when the thread was opened, as far as those hooks are still there and may run: a file alone cannot
 * speak for a hook.
 */
export function sessionContextNow(contract: Contract): Pick<StepFacts, 'sessionContext'> {
  const { hooks } = contract.parts;
  if (hooks === undefined) return {};
  let left = contextBudget('sessionContext', windowNow(contract).effective);
  const fitting = contract.log.state.sessionContext.filter(({ key, text }) => {
    if (!hooks.knows(key) || estimateTokens(text) > left) return false;
    left -= estimateTokens(text);
    return true;
  });
  return { sessionContext: fitting.map(({ text }) => text) };
}
