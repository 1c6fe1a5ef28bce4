import type { ThreadId } from './ids.ts';
import type { Usage } from './usage.ts';

/** Who a thread is among agents: which thread started it, and for which root all of them work. */
export interface AgentIdentity {
  readonly id: ThreadId;
  readonly parentId: ThreadId;
  /** The thread that no other one started. */
  readonly rootId: ThreadId;
  /** 1 for an agent of the root. */
  readonly depth: number;
  /** `/root`, and a name for each agent on the way. */
  readonly path: string;
  readonly role: string;
}

/** The path of a thread that no other one started. */
export const rootPath = '/root';

/** How an agent stands, in the words that other programs use. */
export type AgentStatus =
  | { readonly kind: 'pending_init' | 'running' | 'interrupted' | 'shutdown' | 'not_found' }
  | { readonly kind: 'completed'; readonly answer?: string }
  | { readonly kind: 'errored'; readonly message: string };

/** An agent of a thread, as the lines of that thread say. On a thread without a writer, none of them runs. */
export interface RecordedAgent extends Pick<AgentIdentity, 'id' | 'parentId' | 'path' | 'role'> {
  /** `running`: it was given work, and no line says what came of it. */
  readonly state: 'running' | 'idle' | 'closed';
  /** The turn of its parent that gave it work last. */
  readonly turnId: string;
  /** How its last work ended. Absent: none has. */
  readonly last?: AgentStatus['kind'];
  /** What it has cost, with its own agents, as far as its parent knows. */
  readonly used: Usage;
}

/** What a thread notes about its agents. The first of each is written before there is an agent. */
export type AgentNote =
  | ({ readonly kind: 'spawned'; readonly turnId: string; readonly callId: string } & Pick<
      AgentIdentity,
      'id' | 'parentId' | 'path' | 'role'
    >)
  | { readonly kind: 'sent'; readonly id: ThreadId; readonly turnId: string; readonly callId: string }
  | { readonly kind: 'closed'; readonly id: ThreadId };

/** What came of the work that an agent was given. */
export interface AgentReport {
  readonly agentId: ThreadId;
  readonly path: string;
  readonly status: AgentStatus;
  /** In all, with its own agents. */
  readonly used: Usage;
}
