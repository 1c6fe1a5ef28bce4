import { providerOfTurn } from '../../envelope/provider-of.ts';
import type { Step } from '../../envelope/step.ts';
import { activeTokens } from '../../history/active-tokens.ts';
import { historyTokens, weightOf } from '../../history/history-weight.ts';
import { requestTokens } from '../../history/ledger.ts';
import { isSameProvider, type ProviderName } from '../../protocol/provider-name.ts';
import { noUsage, type Usage } from '../../protocol/usage.ts';
import { makerNow } from '../../state/maker-now.ts';
import type { ThreadState } from '../../state/thread-state.ts';
import { dueTokens } from './bundle-tokens.ts';
import { type Contract, instructionsNow } from './contract-now.ts';

/** What the next request would weigh as things stand. */
export function activeNow(turn: Contract, { tools }: Pick<Step, 'tools'>) {
  const { state } = turn.log;
  const { history } = state;
  const reader = providerOfTurn(turn.envelope);
  const instructions = instructionsNow(turn).text;
  return activeTokens({
    history,
    reader,
    instructions,
    tools,
    last: countFor(state, reader),
    reasoningCounted: false,
  });
}

/** The same as users are shown it: a total that stands for a refusal is no number of tokens. */
export function shownNow(turn: Contract, step: Pick<Step, 'tools'>): number {
  return turn.log.state.usage.last.input === 0 ? estimateNow(turn, step) : activeNow(turn, step).tokens;
}

/**
 * By our estimate alone, with the context that the next request would bring. By this measure a checkpoint is compared
 * with what it replaces: afterwards that request sends all context again.
 */
export function nextRequestTokens(turn: Contract, step: Step): number {
  return estimateNow(turn, step) + dueTokens(turn, step);
}

/** What stands, by our estimate alone. */
export function estimateNow(turn: Contract, { tools }: Pick<Step, 'tools'>): number {
  const instructions = instructionsNow(turn).text;
  const reader = providerOfTurn(turn.envelope);
  return requestTokens({ instructions, tools, input: [] }) + historyTokens(turn.log.state.history, { reader });
}

/** The newest count, unless another provider made it and was sent what this reader is not. */
export function countFor(state: ThreadState, reader: ProviderName): Usage {
  const { sent, usage, history } = state;
  const by = (sent?.kind === 'request' ? sent.record.provider : undefined) ?? makerNow(state);
  const isOthers = by !== undefined && !isSameProvider(by, reader);
  return isOthers && weightOf(history, { reader }).hidden > 0 ? noUsage : usage.last;
}
