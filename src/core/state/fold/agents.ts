import type { AgentIdentity, AgentNote, AgentReport, AgentStatus, RecordedAgent } from '../../../protocol/agent.ts';
import { defined, ifAllDefined } from '../../../base/objects.ts';
import { parseThreadId, type ThreadId } from '../../../protocol/ids.ts';
import { type Json, type JsonObject, numberAt, objectAt, objectsAt, stringAt } from '../../../protocol/json.ts';
import { type LineDraft, lineType } from '../../../protocol/line.ts';
import { repairUsage, noUsage, type Usage, usageSince } from '../../../protocol/usage.ts';
import { readUsage, usageFields } from '../drafts/usage-and-failure-fields.ts';

/** More than a thread reasonably starts. Older ones are dropped. */
const mostAgents = 500;
export const agentLine = (note: AgentNote): LineDraft => ({ type: lineType.agent, payload: noteFields(note) });

function noteFields(note: AgentNote): JsonObject {
  if (note.kind === 'closed') return { id: note.id, closed: true };
  const by = { turn_id: note.turnId, call_id: note.callId };
  if (note.kind === 'sent') return { id: note.id, sent: by };
  const { id, parentId, path, role } = note;
  return { id, spawned: by, parent_thread_id: parentId, agent_path: path, agent_role: role };
}

export function foldAgent(agents: readonly RecordedAgent[], payload: JsonObject): readonly RecordedAgent[] {
  const id = parseThreadId(stringAt(payload, 'id') ?? '');
  if (id === undefined) return agents;
  const known = agents.find((agent) => agent.id === id);
  const spawned = objectAt(payload, 'spawned');
  if (spawned !== undefined) {
    const agent = known === undefined ? readStart(id, payload, stringAt(spawned, 'turn_id')) : undefined;
    return agent === undefined ? agents : [...agents.slice(1 - mostAgents), agent];
  }
  if (known === undefined) return agents;
  if (payload['closed'] === true) return changed(agents, known, { state: 'closed' });
  const turnId = stringAt(objectAt(payload, 'sent'), 'turn_id');
  if (turnId === undefined || known.state === 'closed') return agents;
  return changed(agents, known, { state: 'running', turnId });
}

function readStart(id: ThreadId, payload: JsonObject, turnId: string | undefined): RecordedAgent | undefined {
  const parentId = parseThreadId(stringAt(payload, 'parent_thread_id') ?? '');
  const [path, role] = [stringAt(payload, 'agent_path'), stringAt(payload, 'agent_role')];
  const start = ifAllDefined({ id, parentId, path, role, turnId });
  return start && { ...start, state: 'running', used: noUsage };
}

type Agents = readonly RecordedAgent[];

export function foldAgentReport(agents: Agents, { agentId, status, used }: Omit<AgentReport, 'path'>): Agents {
  const known = agents.find(({ id }) => id === agentId);
  if (known === undefined) return agents;
  const state = known.state === 'closed' ? 'closed' : 'idle';
  return changed(agents, known, { state, last: status.kind, used });
}

/** Cost that a report adds to its thread: the part not reported before. */
export function costOfReport(agents: Agents, { agentId, used }: Pick<AgentReport, 'agentId' | 'used'>): Usage {
  const known = agents.find(({ id }) => id === agentId);
  return known === undefined ? noUsage : usageSince(known.used, used);
}

const changed = (agents: Agents, known: RecordedAgent, change: Partial<RecordedAgent>): Agents =>
  agents.map((agent) => (agent === known ? { ...known, ...change } : agent));

export function agentsToJson(agents: readonly RecordedAgent[]): readonly Json[] {
  return agents.map(({ id, parentId, path, role, state, turnId, last, used }) => ({
    id,
    parent_thread_id: parentId,
    agent_path: path,
    agent_role: role,
    turn_id: turnId,
    state,
    last,
    used: usageFields(used),
  }));
}

export const agentsFromJson = (carried: JsonObject): readonly RecordedAgent[] =>
  objectsAt(carried, 'agents').flatMap((value) => readStored(value) ?? []);

const states = ['running', 'idle', 'closed'] as const;

function readStored(value: JsonObject): RecordedAgent | undefined {
  const id = parseThreadId(stringAt(value, 'id') ?? '');
  const start = id && readStart(id, value, stringAt(value, 'turn_id'));
  if (start === undefined) return undefined;
  const state = states.find((each) => each === value['state']) ?? 'idle';
  const last = statusKinds.find((kind) => kind === value['last']);
  return { ...start, state, used: readUsage(value['used']), last };
}

const statusKinds = [
  'pending_init',
  'running',
  'interrupted',
  'shutdown',
  'not_found',
  'completed',
  'errored',
] as const;

export function readAgentReport(payload: JsonObject): AgentReport | undefined {
  const agentId = parseThreadId(stringAt(payload, 'agentId') ?? '');
  const status = readStatus(objectAt(payload, 'status'));
  const used = repairUsage(objectAt(payload, 'used') ?? {});
  return ifAllDefined({ agentId, path: stringAt(payload, 'path'), status, used });
}

function readStatus(value: JsonObject | undefined): AgentStatus | undefined {
  const kind = statusKinds.find((each) => each === value?.['kind']);
  if (kind === undefined) return undefined;
  if (kind === 'completed') return { kind, ...defined({ answer: stringAt(value, 'answer') }) };
  return kind === 'errored' ? { kind, message: stringAt(value, 'message') ?? '' } : { kind };
}

export function agentMeta({ parentId, rootId, depth, path, role }: AgentIdentity): JsonObject {
  const spawn = { parent_thread_id: parentId, depth, agent_path: path, agent_nickname: null, agent_role: role };
  return {
    session_id: rootId,
    parent_thread_id: parentId,
    source: { subagent: { thread_spawn: spawn } },
    thread_source: 'subagent',
    agent_path: path,
    agent_role: role,
  };
}

export const takenOverMeta = (used: Usage): JsonObject => ({ agent_taken_over: usageFields(used) });

/** Cost of the agent itself: a fork's total includes the conversation that it took over. */
export const ownCost = (total: Usage, meta: JsonObject): Usage =>
  usageSince(readUsage(meta['agent_taken_over']), total);

/** Identity of an agent from its first line. Undefined: no other thread started it. */
export function agentIdentityIn(meta: JsonObject): AgentIdentity | undefined {
  const spawn = objectAt(objectAt(objectAt(meta, 'source'), 'subagent'), 'thread_spawn');
  const ids = [stringAt(meta, 'id'), stringAt(spawn, 'parent_thread_id'), stringAt(meta, 'session_id')];
  const [id, parentId, rootId] = ids.map((text) => parseThreadId(text ?? ''));
  if (id === undefined || parentId === undefined) return undefined;
  const path = stringAt(spawn, 'agent_path') ?? stringAt(meta, 'agent_path') ?? '';
  const role = stringAt(spawn, 'agent_role') ?? 'default';
  return { id, parentId, rootId: rootId ?? parentId, depth: numberAt(spawn, 'depth') ?? 1, path, role };
}
