import type { Step } from '../envelope/step.ts';
import { activeTokens } from '../history/active-tokens.ts';
import type { Turn } from './parts.ts';

/** What the next request would weigh as things stand. */
export function activeNow({ log, envelope }: Pick<Turn, 'log' | 'envelope'>, { tools }: Pick<Step, 'tools'>) {
  const { history, usage } = log.state;
  const instructions = envelope.instructions.base.text;
  return activeTokens({ history, instructions, tools, last: usage.last, reasoningCounted: false });
}
