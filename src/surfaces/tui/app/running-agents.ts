import type { Engine } from '../../engine/engine.ts';
import type { AgentNode } from '../../engine/agent-node.ts';
import type { LiveThread, LiveThreads } from '../../engine/live/live-thread.ts';
import { agentName } from '../commands/agent-name.ts';
import { cleanLine } from '../text/clean.ts';

/** The agents of the conversation that work now. */
export function runningAgents(threads: Pick<LiveThreads, 'agentsOf'>, { id }: Pick<LiveThread, 'id'>) {
  return threads.agentsOf(id).filter(({ turnId }) => turnId !== undefined);
}

/** Names are read from files: a disk that hangs does not keep the user. */
const namesMs = 500;

/** What is said of them to a user who leaves: they are stopped then. Empty: none works. */
export async function stoppedAgentsWords(
  { stored }: Pick<Engine, 'stored'>,
  threads: Pick<LiveThreads, 'agentsOf'>,
  thread: Pick<LiveThread, 'id' | 'place'>,
): Promise<string> {
  const running = new Set<string>(runningAgents(threads, thread).map(({ id }) => id));
  if (running.size === 0 || thread.place === undefined) return '';
  const late = new Promise<undefined>((over) => void setTimeout(() => over(undefined), namesMs).unref());
  // Without their names, at least how many they are.
  const tree = await Promise.race([stored.agents(thread.id).catch(() => undefined), late]);
  const names = tree === undefined ? [] : namesIn(tree, running);
  const which = names.length === 0 ? '' : `: ${names.join(', ')}`;
  return `${running.size === 1 ? 'An agent was' : `${running.size} agents were`} stopped at work${which}.`;
}

function namesIn({ agents }: AgentNode, running: ReadonlySet<string>): readonly string[] {
  return agents.flatMap((agent) => [
    ...(running.has(agent.id) ? [cleanLine(agentName(agent.path))] : []),
    ...namesIn(agent, running),
  ]);
}
