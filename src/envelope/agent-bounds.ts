import type { AgentBounds } from '../ports/agents.ts';
import { defined } from '../protocol/defined.ts';
import type { Envelope } from './envelope.ts';

/** What a turn may do: its agents may not do more. */
export function agentBoundsOf({ workspace, identity, policy, capabilities, modes }: Envelope): AgentBounds {
  const { effort } = identity.chosen;
  const { onlyTools, withoutTools } = capabilities;
  return {
    cwd: workspace.cwd,
    provider: identity.provider,
    model: identity.model.slug,
    approval: policy.approval,
    // What the mode sets aside comes back when it ends, for agents as well.
    profile: policy.askedProfile ?? policy.profile,
    mode: modes.collaboration.mode,
    ...(policy.changesNothing === 'thread' ? { changesNothing: true } : {}),
    ...defined({ effort, onlyTools, withoutTools }),
  };
}
