import { expect, it } from 'vitest';
import type { AgentParent, AgentThreads } from '../../ports/agents.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { AgentTreeState } from './agent-tree.ts';
import { ThreadAgents } from './thread-agents.ts';

it('what the agents of a root share goes with its thread, unless one of them is still under way', async () => {
  const root = 'root' as ThreadId;
  const tree = new AgentTreeState(root, async () => undefined);
  const dropped: ThreadId[] = [];
  const agents = new ThreadAgents({
    threads: {} as AgentThreads,
    ids: { uuid: () => 'agent' },
    clock: { now: () => 0, sleep: async () => {} },
    limits: { running: 1, depth: 1 },
    treeOf: () => tree,
    dropTree: (id) => void dropped.push(id),
  });
  await agents.release();
  expect(dropped).toEqual([]);
  agents.attach({ id: root } as AgentParent);
  tree.running.add('a' as ThreadId);
  await agents.release();
  expect(dropped).toEqual([]);
  tree.running.delete('a' as ThreadId);
  await agents.release();
  expect(dropped).toEqual([root]);
});
