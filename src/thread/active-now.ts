import type { Step } from '../envelope/step.ts';
import { activeTokens } from '../history/active-tokens.ts';
import { historyTokens } from '../history/history-weight.ts';
import { requestTokens } from '../history/ledger.ts';
import type { Turn } from './parts.ts';

/** What the next request would weigh as things stand. */
export function activeNow({ log, envelope }: Pick<Turn, 'log' | 'envelope'>, { tools }: Pick<Step, 'tools'>) {
  const { history, usage } = log.state;
  const instructions = envelope.instructions.base.text;
  return activeTokens({ history, instructions, tools, last: usage.last, reasoningCounted: false });
}

/** The same as people are shown it: a total that stands for a refusal is no number of tokens. */
export function shownNow(turn: Pick<Turn, 'log' | 'envelope'>, step: Pick<Step, 'tools'>): number {
  return turn.log.state.usage.last.input === 0 ? estimateNow(turn, step) : activeNow(turn, step).tokens;
}

/** By our estimate alone: by this measure a checkpoint is compared with what it replaces. */
export function estimateNow({ log, envelope }: Pick<Turn, 'log' | 'envelope'>, { tools }: Pick<Step, 'tools'>): number {
  const instructions = envelope.instructions.base.text;
  return requestTokens({ instructions, tools, input: [] }) + historyTokens(log.state.history);
}
