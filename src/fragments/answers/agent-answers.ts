/** What the tools for agents answer: JSON, as other programs have it, so that a model finds what it knows. */

export function agentStarted({ id, path }: { readonly id: string; readonly path: string }): string {
  return JSON.stringify({ agent_id: id, agent_path: path });
}

export function agentSent(path: string, as: keyof typeof delivered): string {
  return JSON.stringify({ agent_path: path, delivered: delivered[as] });
}

const delivered = {
  turn: 'a new turn began',
  steered: 'added to the turn that runs',
  interrupted: 'the turn was interrupted',
  restarted: 'the turn was interrupted, and a new one began',
} as const;

/** What an agent reads whose turn went on under narrower permissions. */
export const goOnNarrower =
  'The agent that gave you this task may do less than before, and so may you. Go on with your task as far as your permissions allow now. If they do not allow it, say so and answer with what you have.';

interface ShownAgent {
  readonly path: string;
  readonly role: string;
  readonly status: string;
  readonly tokens: number;
}

/** Answers of agents are not in it: they follow as notifications. */
export function agentsWaited(agents: readonly ShownAgent[], timedOut: boolean): string {
  const status = Object.fromEntries(agents.map((agent) => [agent.path, agent.status]));
  return JSON.stringify({ status, timed_out: timedOut });
}

export function agentsListed(agents: readonly ShownAgent[]): string {
  const shown = agents.map(({ path, role, status, tokens }) => ({
    agent_path: path,
    agent_type: role,
    status,
    tokens,
  }));
  return JSON.stringify({ agents: shown });
}

export function agentClosed({ path, status }: Pick<ShownAgent, 'path' | 'status'>): string {
  return JSON.stringify({ agent_path: path, previous_status: status });
}
