import type { ThreadId } from './ids.ts';
import type { Usage } from './usage.ts';

/** A thread's identity among agents: the thread that started it, and the common root. */
export interface AgentIdentity {
  readonly id: ThreadId;
  readonly parentId: ThreadId;
  readonly rootId: ThreadId;
  /** 1 for an agent of the root. */
  readonly depth: number;
  /** `/root`, plus a name for each agent on the way. */
  readonly path: string;
  readonly role: string;
}

type NamedAgent = Pick<AgentIdentity, 'id' | 'parentId' | 'path' | 'role'>;
export const rootAgentPath = '/root';

/** Status names as other programs use them. */
export type AgentStatus =
  | { readonly kind: 'pending_init' | 'running' | 'interrupted' | 'shutdown' | 'not_found' }
  | { readonly kind: 'completed'; readonly answer?: string }
  | { readonly kind: 'errored'; readonly message: string };

/** An agent as recorded in its parent's lines. On a thread without a writer, none of them runs. */
export interface RecordedAgent extends NamedAgent {
  /** `running`: it was given work, and no line records the result. */
  readonly state: 'running' | 'idle' | 'closed';
  readonly turnId: string;
  /** End of its last work. Absent: none has ended. */
  readonly last?: AgentStatus['kind'];
  /** Its cost with its own agents, as far as its parent knows. */
  readonly used: Usage;
}

/** A thread's notes about its agents. The first note of each is written before the agent exists. */
export type AgentNote =
  | ({ readonly kind: 'spawned'; readonly turnId: string; readonly callId: string } & NamedAgent)
  | { readonly kind: 'sent'; readonly id: ThreadId; readonly turnId: string; readonly callId: string }
  | { readonly kind: 'closed'; readonly id: ThreadId };

export interface AgentReport {
  readonly agentId: ThreadId;
  readonly path: string;
  readonly status: AgentStatus;
  readonly used: Usage;
}
