import type { Step } from '../envelope/step.ts';
import { activeTokens } from '../history/active-tokens.ts';
import { historyTokens } from '../history/history-weight.ts';
import { requestTokens } from '../history/ledger.ts';
import { type Contract, instructionsNow } from './contract-now.ts';

/** What the next request would weigh as things stand. */
export function activeNow(turn: Contract, { tools }: Pick<Step, 'tools'>) {
  const { history, usage } = turn.log.state;
  const instructions = instructionsNow(turn).text;
  return activeTokens({ history, instructions, tools, last: usage.last, reasoningCounted: false });
}

/** The same as people are shown it: a total that stands for a refusal is no number of tokens. */
export function shownNow(turn: Contract, step: Pick<Step, 'tools'>): number {
  return turn.log.state.usage.last.input === 0 ? estimateNow(turn, step) : activeNow(turn, step).tokens;
}

/** By our estimate alone: by this measure a checkpoint is compared with what it replaces. */
export function estimateNow(turn: Contract, { tools }: Pick<Step, 'tools'>): number {
  const instructions = instructionsNow(turn).text;
  return requestTokens({ instructions, tools, input: [] }) + historyTokens(turn.log.state.history);
}
