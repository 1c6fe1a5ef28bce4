import type { ReadAgent } from '../../ports/agents.ts';
import type { RolloutStore } from '../../ports/rollout-store.ts';
import type { AgentStatus } from '../../protocol/agent.ts';
import { defined } from '../../protocol/defined.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { objectAt, stringAt } from '../../protocol/json.ts';
import { type LineKind, lineType } from '../../protocol/line.ts';
import { agentIn, ownCost } from '../../state/agents.ts';
import { isSuspended } from '../../state/questions.ts';
import type { ThreadState } from '../../state/thread-state.ts';
import { turnEvent, turnEventKind } from '../../state/turn-event.ts';
import { foldThread } from '../../thread/branch/resume.ts';

interface KeptThreadLines {
  readonly store: RolloutStore;
}

/** What the file of a thread says of the work that it was given last. */
export async function readAgent({ store }: KeptThreadLines, id: ThreadId): Promise<ReadAgent | undefined> {
  if ((await store.current(id)).kind === 'refused') return undefined;
  const { state } = await foldThread(store, id);
  const own = state.agents.filter(({ parentId }) => parentId === id);
  const last = await lastStatus({ store }, id, state);
  const isOpen = state.openTurn !== undefined;
  return { identity: agentIn(state.meta), used: ownCost(state.usage.total, state.meta), agents: own, isOpen, last };
}

async function lastStatus(
  { store }: KeptThreadLines,
  id: ThreadId,
  state: ThreadState,
): Promise<AgentStatus | 'waits'> {
  if (state.openTurn !== undefined) return isSuspended(state) ? 'waits' : { kind: 'interrupted' };
  for await (const { type, payload } of store.readBack(id, isTurnEvent)) {
    const event = type === lineType.event ? turnEvent(payload) : undefined;
    if (event?.kind !== 'end') continue;
    if (event.status === 'completed') {
      return { kind: 'completed', ...defined({ answer: stringAt(payload, 'last_agent_message') }) };
    }
    if (event.status !== 'failed') break;
    return { kind: 'errored', message: stringAt(objectAt(payload, 'error'), 'message') ?? 'Its turn failed.' };
  }
  return { kind: 'interrupted' };
}

function isTurnEvent({ type, payloadType }: LineKind): boolean {
  return type === lineType.event && (payloadType === undefined || turnEventKind(payloadType) === 'end');
}
