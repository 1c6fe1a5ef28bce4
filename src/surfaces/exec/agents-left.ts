import type { ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { type Usage, usedTokens } from '../../protocol/usage.ts';
import type { AgentNode } from '../engine/agent-node.ts';
import type { LiveThreads } from '../engine/live/live-thread.ts';
import { count } from '../wording/number-words.ts';

interface WorkingAgent {
  readonly id: ThreadId;
  readonly cost: Usage;
}

/** Which threads still work besides the one of the turn: the program is about to end them with itself. */
export function workingBeside(threads: Pick<LiveThreads, 'loaded'>, root: ThreadId): readonly WorkingAgent[] {
  return threads.loaded.filter(({ id, turnId }) => id !== root && turnId !== undefined);
}

/** What became of agents that worked when the turn ended. One may have come to its end before the program did. */
export function agentsLeft(working: readonly WorkingAgent[], root: AgentNode): Outcome | undefined {
  const known = new Map(nodesIn(root).map((node) => [node.id, node]));
  const ours = working.flatMap(({ id, cost }) => {
    const node = known.get(id);
    return node === undefined ? [] : [{ ...node, cost }];
  });
  if (ours.length === 0) return undefined;
  const isDone = ({ status }: AgentNode): boolean => status === 'completed';
  const [done, cut] = [ours.filter(isDone), ours.filter((node) => !isDone(node))];
  const named = (nodes: readonly AgentNode[]): string => nodes.map(({ path }) => path).join(', ');
  const fates = [
    ...(cut.length === 0 ? [] : [`${ours.length === 1 ? 'was' : 'were'} interrupted: ${named(cut)}`]),
    ...(done.length === 0 ? [] : [`completed: ${named(done)}`]),
  ];
  const some = ours.length === 1 ? '1 agent' : `${ours.length} agents`;
  const spent = ours.reduce((sum, { cost }) => sum + usedTokens(cost), 0);
  const more = spent === 0 ? '' : ` Beyond the tokens above, ${count(spent)} were used for that.`;
  return {
    code: 'agents-ended',
    message: `${some} still worked when the turn ended, and ${fates.join('; ')}.${more}`,
    next:
      cut.length === 0
        ? 'The next turn of the thread reads what they answered.'
        : 'Ask the model to wait for agents whose answers you need.',
  };
}

function nodesIn(node: AgentNode): readonly AgentNode[] {
  return [node, ...node.agents.flatMap(nodesIn)];
}
