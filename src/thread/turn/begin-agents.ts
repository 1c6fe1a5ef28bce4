import { agentBoundsOf } from '../../envelope/agent-bounds.ts';
import { agentsElsewhereFragment } from '../../fragments/events/agents-elsewhere.ts';
import { agentLine } from '../../state/agents.ts';
import type { Turn } from '../parts/parts.ts';
import { recordEvent } from '../record/record-context.ts';

/** As a turn begins: no agent does more than it may, and one text names those that another thread has. */
export async function beginAgents(turn: Turn): Promise<void> {
  const { log, threadId, parts, envelope } = turn;
  const others = log.state.agents.filter(({ parentId, state }) => parentId !== threadId && state !== 'closed');
  const paths = others.filter(({ id }) => id !== threadId).map(({ path }) => path);
  if (paths.length > 0) recordEvent(turn, agentsElsewhereFragment, { paths });
  for (const { id } of others) log.record(agentLine({ kind: 'closed', id }));
  await parts.agents?.narrow(agentBoundsOf(envelope));
}
