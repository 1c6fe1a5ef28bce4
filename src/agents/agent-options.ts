import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { AgentLimits, AgentThreads } from '../ports/agents.ts';
import type { AgentIdentity, RecordedAgent } from '../protocol/agent.ts';
import type { ThreadId } from '../protocol/ids.ts';
import type { ChosenModel } from './agent-bounds.ts';
import type { AgentTree } from './agent-tree.ts';

export interface ThreadAgentsOptions {
  readonly threads: AgentThreads;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly limits: AgentLimits;
  /** What agents have where neither their role nor the call says. Absent: what their parent has. */
  readonly defaults?: ChosenModel;
  /** Who the thread is that starts them. Absent: no other thread started it. */
  readonly self?: AgentIdentity;
  treeOf(rootId: ThreadId): AgentTree;
  /** The root is given up, and nothing of its agents is under way: the files say what they cost. */
  dropTree(rootId: ThreadId): void;
}

/** Who an agent is, started by the thread that says who it is itself. */
export function identityOf(
  self: AgentIdentity | undefined,
  { id, path, role, parentId }: RecordedAgent,
): AgentIdentity {
  return { id, path, role, parentId, rootId: self?.rootId ?? parentId, depth: (self?.depth ?? 0) + 1 };
}
