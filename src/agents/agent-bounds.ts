import type { AgentBounds, AgentCaller, WantedAgent } from '../ports/agents.ts';
import { defined } from '../protocol/defined.ts';

export type ChosenModel = Pick<WantedAgent, 'model' | 'effort'>;

/** What an agent gets of its caller, with the model that the call, or else the configuration, chooses. */
export function boundsFor(
  { effort: had, ...caller }: AgentCaller,
  wanted: ChosenModel,
  defaults: ChosenModel = {},
): AgentBounds {
  const model = wanted.model ?? defaults.model ?? caller.model;
  // The effort of the caller may be none that another model has.
  const effort = wanted.effort ?? defaults.effort ?? (model === caller.model ? had : undefined);
  return { ...caller, model, ...defined({ effort }) };
}
