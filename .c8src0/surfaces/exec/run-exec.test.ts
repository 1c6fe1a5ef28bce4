import { expect, it } from 'vitest';
import type { ThreadId } from '../../protocol/ids.ts';
import { noUsage } from '../../protocol/usage.ts';
import type { AgentNode } from '../../engine/agents/read-agent-tree.ts';
import { agentsLeftOutcome } from './run-exec.ts';

const node = (name: string, status: string, agents: readonly AgentNode[] = []): AgentNode => ({
  id: name as ThreadId,
  path: `/root/${name}`,
  status,
  tokens: 0,
  used: 0,
  agents,
});
const tree = node('root', 'completed', [
  node('a', 'completed'),
  node('b', 'interrupted', [node('c', 'interrupted')]),
  node('d', 'completed'),
]);
const left = (...ids: readonly string[]) =>
  agentsLeftOutcome(
    ids.map((id) => ({ id: id as ThreadId, cost: { ...noUsage, input: 10, total: 10 } })),
    tree,
  );

it.each([
  [['a'], '1 agent still worked when the turn ended, and completed: /root/a. '],
  [['b'], '1 agent still worked when the turn ended, and was interrupted: /root/b. '],
  [['b', 'c'], '2 agents still worked when the turn ended, and were interrupted: /root/b, /root/c. '],
  [['a', 'b'], '2 agents still worked when the turn ended, and were interrupted: /root/b; completed: /root/a. '],
])('says of each agent what became of it: %o', (ids, message) => {
  expect(left(...ids)).toMatchObject({
    message: `${message}Beyond the tokens above, ${10 * ids.length} were used for that.`,
  });
});

it('says nothing of threads that are no agents of this one', () => {
  expect([left(), left('x')]).toEqual([undefined, undefined]);
});
