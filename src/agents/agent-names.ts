import type { RecordedAgent } from '../protocol/agent.ts';

const longest = 40;

/** Why an agent cannot have this name among the others of its parent; undefined when it can. */
export function nameProblem(name: string, parentPath: string, agents: readonly RecordedAgent[]): string | undefined {
  if (!/^[a-z0-9_]+$/.test(name) || name.length > longest)
    return `\`name\` must have 1 to ${longest} lower-case letters, digits and underscores.`;
  const taken = agents.some((agent) => agent.state !== 'closed' && agent.path === `${parentPath}/${name}`);
  return taken
    ? `An agent named ${name} exists already. Choose another name, send it input, or close it first.`
    : undefined;
}

/** The first name of this role that no agent of the parent has. */
export function freeAgentName(role: string, parentPath: string, agents: readonly RecordedAgent[]): string {
  const base =
    role
      .toLowerCase()
      .replaceAll(/[^a-z0-9_]/g, '_')
      .slice(0, longest - 5) || 'agent';
  for (let number = 1; ; number++) {
    const name = `${base}_${number}`;
    if (!agents.some(({ path }) => path === `${parentPath}/${name}`)) return name;
  }
}

/** The agent that a model means by its name, its path or its id. The newest of several. */
export function findAgent(
  target: string,
  parentPath: string,
  agents: readonly RecordedAgent[],
): RecordedAgent | undefined {
  const path = target.startsWith('/') ? target : `${parentPath}/${target}`;
  return agents.findLast((agent) => agent.id === target.toLowerCase() || agent.path === path);
}
