import type { ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { AgentNode } from '../engine/agent-node.ts';
import type { LiveThreads } from '../engine/live/live-thread.ts';
import { count } from '../wording/number-words.ts';
import { tokensIn } from './turn-cost.ts';

interface AgentsOf {
  agents(id: ThreadId): Promise<AgentNode>;
}

/** Which agents of the thread still work, to be said before the program ends them with itself. */
export async function agentsLeft(stored: AgentsOf, threads: LiveThreads, root: ThreadId): Promise<Outcome | undefined> {
  const working = threads.loaded.filter(({ id, turnId }) => id !== root && turnId !== undefined);
  if (working.length === 0) return undefined;
  const known = new Map(pathsOf(await stored.agents(root)).map(({ id, path }) => [id, path]));
  const ours = working.flatMap(({ id, cost }) => ({ path: known.get(id), cost }));
  const paths = ours.flatMap(({ path }) => path ?? []);
  if (paths.length === 0) return undefined;
  const [some, were] = paths.length === 1 ? ['1 agent', 'was'] : [`${paths.length} agents`, 'were'];
  const spent = ours.reduce((sum, { path, cost }) => (path === undefined ? sum : sum + tokensIn(cost)), 0);
  const more = spent === 0 ? '' : ` Beyond the tokens above, ${count(spent)} were used for that.`;
  return {
    code: 'agents-ended',
    message: `${some} still worked when the turn ended, and ${were} interrupted: ${paths.join(', ')}.${more}`,
    next: 'Ask the model to wait for agents whose answers you need.',
  };
}

function pathsOf(node: AgentNode): readonly Pick<AgentNode, 'id' | 'path'>[] {
  return [node, ...node.agents.flatMap(pathsOf)];
}
