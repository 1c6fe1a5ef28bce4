import { defined } from '../../base/objects.ts';
import { readTurnEvent, turnEventKind } from '../../core/state/drafts/turn-lines.ts';
import { agentIdentityIn, ownCost } from '../../core/state/fold/agents.ts';
import { isSuspended } from '../../core/state/questions/pending-questions.ts';
import type { ThreadState } from '../../core/state/thread-state.ts';
import type { StoredAgent } from '../../ports/agents.ts';
import type { RolloutStore } from '../../ports/thread-store.ts';
import { type AgentStatus, type RecordedAgent, rootAgentPath } from '../../protocol/agent.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { objectAt, stringAt } from '../../protocol/json.ts';
import { type LineKind, lineType } from '../../protocol/line.ts';
import { type Cost, usedTokens } from '../../protocol/usage.ts';
import { loadThreadState } from '../thread/branch/resume-thread.ts';

export interface AgentNode {
  readonly id: ThreadId;
  readonly path: string;
  readonly role?: string;
  /** `waiting`: for the user's answer. `closed`: its parent takes no more results from it. */
  readonly status: string;
  /** Includes its own agents. */
  readonly tokens: number;
  /** `tokens` without those from the provider's cache. */
  readonly used: number;
  /** Includes its own agents. Absent: no price is known. */
  readonly money?: Cost;
  /** The tokens that Capstan estimated. Absent: none. */
  readonly estimated?: number;
  readonly agents: readonly AgentNode[];
}

type ReadableThreads = { readonly store: RolloutStore; writer(id: ThreadId): Promise<string | undefined> };

/** Reads the tree below a thread. Each thread appears once, even if a file names it twice or names itself. */
export const readAgentTree = async (threads: ReadableThreads, id: ThreadId): Promise<AgentNode> =>
  nodeOf(threads, { id, path: rootAgentPath }, new Set());
type KnownAgent = Pick<RecordedAgent, 'id' | 'path'> & Partial<RecordedAgent>;

async function nodeOf(threads: ReadableThreads, agent: KnownAgent, seen: Set<ThreadId>): Promise<AgentNode> {
  const { id, role } = agent;
  seen.add(id);
  const read = await readAgent(threads, id);
  const path = agent.state === undefined ? (read?.identity?.path ?? agent.path) : agent.path;
  const own = (read?.agents ?? []).filter((each) => !seen.has(each.id));
  const agents: AgentNode[] = [];
  for (const each of own) agents.push(await nodeOf(threads, each, seen));
  const status = await statusOf(threads, agent, read);
  const costs = [read?.used, agent.used].filter((cost) => cost !== undefined);
  const tokens = Math.max(0, ...costs.map(({ total }) => total));
  const used = Math.max(0, ...costs.map(usedTokens));
  const { cost: money, estimated } = costs.toSorted((a, b) => b.total - a.total)[0] ?? {};
  return { id, path, ...defined({ role }), status, tokens, used, ...defined({ money, estimated }), agents };
}

async function statusOf(
  threads: ReadableThreads,
  { id, state }: KnownAgent,
  read: Awaited<ReturnType<typeof readAgent>>,
): Promise<string> {
  if (state === 'closed') return 'closed';
  if (read === undefined) return 'not started';
  if (read.last === 'waits') return 'waiting';
  const isOpen = read.last.kind === 'interrupted' && read.isOpen;
  return isOpen && (await threads.writer(id)) !== undefined ? 'running' : read.last.kind;
}

/** Reads from a thread's file what became of the work it was given last. */
export async function readAgent(
  { store }: Pick<ReadableThreads, 'store'>,
  id: ThreadId,
): Promise<StoredAgent | undefined> {
  if ((await store.current(id)).kind === 'refused') return undefined;
  const { state } = await loadThreadState(store, id);
  const own = state.agents.filter(({ parentId }) => parentId === id);
  const last = await lastStatus(store, id, state);
  const isOpen = state.openTurn !== undefined;
  return {
    identity: agentIdentityIn(state.meta),
    used: ownCost(state.usage.total, state.meta),
    agents: own,
    isOpen,
    last,
  };
}

async function lastStatus(store: RolloutStore, id: ThreadId, state: ThreadState): Promise<AgentStatus | 'waits'> {
  if (state.openTurn !== undefined) return isSuspended(state) ? 'waits' : { kind: 'interrupted' };
  for await (const { type, payload } of store.readBack(id, isTurnEvent)) {
    const event = type === lineType.event ? readTurnEvent(payload) : undefined;
    if (event?.kind !== 'end') continue;
    if (event.status === 'completed') return { kind: 'completed', answer: stringAt(payload, 'last_agent_message') };
    if (event.status !== 'failed') break;
    return { kind: 'errored', message: stringAt(objectAt(payload, 'error'), 'message') ?? 'Its turn failed.' };
  }
  return { kind: 'interrupted' };
}

const isTurnEvent = ({ type, payloadType }: LineKind): boolean =>
  type === lineType.event && (payloadType === undefined || turnEventKind(payloadType) === 'end');
