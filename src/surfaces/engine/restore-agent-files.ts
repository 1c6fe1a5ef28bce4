import type { RolloutStore } from '../../ports/rollout-store.ts';
import type { Ordinal, ThreadId, TurnId } from '../../protocol/ids.ts';
import { objectAt } from '../../protocol/json.ts';
import { type Line, lineType } from '../../protocol/line.ts';
import { agentIn, foldAgent } from '../../state/agents.ts';
import { readSnapshotLine } from '../../state/snapshot-record.ts';
import { turnEvent } from '../../state/turn-event.ts';
import { readPlaces } from '../../thread/branch/read-turns.ts';
import type { RestoreReport, RestoreTarget } from '../../workspace/restore-files.ts';
import type { EngineRefused } from './engine-refused.ts';

/** Work of an agent that belongs to turns of its parent, and how it is taken back. */
export interface AgentRestore {
  readonly id: ThreadId;
  readonly target: RestoreTarget;
}

/**
 * What agents did for the turns that a restore takes back. An agent began to work for a turn after the line by which the
 * turn gave it work, so its turns are told apart by time. Those that were given work last come first.
 */
export async function agentRestores(
  store: RolloutStore,
  id: ThreadId,
  target: RestoreTarget,
): Promise<readonly AgentRestore[]> {
  const found = await ('beforeTurn' in target ? workSince(store, id, target.beforeTurn) : restoresSince(store, id));
  const isOurs = await Promise.all(found.map((agent) => isAgentOf(store, agent.id, id)));
  return found.filter((_, at) => isOurs[at]);
}

/** A line can name any thread. */
async function isAgentOf(store: RolloutStore, agent: ThreadId, id: ThreadId): Promise<boolean> {
  const current = await store.current(agent);
  return current.kind === 'current' && agentIn(current.meta)?.parentId === id;
}

async function workSince(store: RolloutStore, id: ThreadId, turn: TurnId): Promise<readonly AgentRestore[]> {
  const { turns } = await readPlaces(store, id);
  const first = turns.find((each) => each.id === turn);
  if (first === undefined) return [];
  const given = new Map<ThreadId, string>();
  for await (const { type, payload, timestamp } of store.read(id, { from: first.start })) {
    if (type !== lineType.agent || payload['closed'] === true) continue;
    const agent = payload['id'] as ThreadId;
    if (objectAt(payload, 'spawned') !== undefined || objectAt(payload, 'sent') !== undefined)
      given.set(agent, given.get(agent) ?? timestamp);
  }
  const restores: AgentRestore[] = [];
  for (const [agent, since] of [...given].toReversed()) {
    const line = await findLine(store, agent, (each) => each.timestamp >= since && startOf(each) !== undefined);
    if (line !== undefined) restores.push({ id: agent, target: { beforeTurn: startOf(line)! } });
  }
  return restores;
}

/** Agents whose files went back after the last turn of their parent, and so with it. */
async function restoresSince(store: RolloutStore, id: ThreadId): Promise<readonly AgentRestore[]> {
  let since = '';
  let agents: ReturnType<typeof foldAgent> = [];
  for await (const line of store.read(id, { from: 0 as Ordinal })) {
    if (startOf(line) !== undefined) since = line.timestamp;
    if (line.type === lineType.agent) agents = foldAgent(agents, line.payload);
  }
  const restores: AgentRestore[] = [];
  for (const { id: agent, parentId } of agents) {
    if (parentId !== id) continue;
    const isRestore = (line: Line): boolean =>
      line.timestamp > since && readSnapshotLine(line)?.changer.kind === 'restore';
    if ((await findLine(store, agent, isRestore)) !== undefined) {
      restores.push({ id: agent, target: { beforeRestore: 'last' } });
    }
  }
  return restores;
}

function startOf({ type, payload }: Line): TurnId | undefined {
  const event = type === lineType.event ? turnEvent(payload) : undefined;
  return event?.kind === 'start' ? (event.name as TurnId) : undefined;
}

/** The first line like this. Undefined also where there is no such thread. */
async function findLine(
  store: RolloutStore,
  id: ThreadId,
  isMeant: (line: Line) => boolean,
): Promise<Line | undefined> {
  if ((await store.current(id)).kind === 'refused') return undefined;
  for await (const line of store.read(id, { from: 0 as Ordinal })) if (isMeant(line)) return line;
  return undefined;
}

type Restored = RestoreReport | EngineRefused;

/** Whether a thread by itself has nothing to bring back: its agents may. */
export function hasNothing(report: Restored): boolean {
  if (report.kind !== 'refused') return false;
  return report.outcome.code === 'nothing-to-restore' || report.outcome.code === 'nothing-to-undo';
}

/** One report of a thread and its agents. What another folder is about is left to the report of that thread. */
export function joinedReports(own: Restored, agents: readonly RestoreReport[]): Restored {
  const [first, ...rest] = own.kind === 'restored' ? [own, ...agents] : agents;
  if (first === undefined || (own.kind === 'refused' && !hasNothing(own))) return own;
  return rest.reduce(joined, first);
}

function joined(one: RestoreReport, other: RestoreReport): RestoreReport {
  if (one.root !== other.root) return { ...one, otherRoots: [...new Set([...one.otherRoots, other.root])] };
  const [restored, deleted] = [union(one.restored, other.restored), union(one.deleted, other.deleted)];
  const isBack = (path: string): boolean => restored.includes(path) || deleted.includes(path);
  const keys = ['notAttributed', 'outside', 'diffs'] as const;
  const lists = keys.flatMap((key) => {
    const all = [...(one[key] ?? []), ...(other[key] ?? [])];
    return all.length === 0 ? [] : [[key, all] as const];
  });
  return {
    ...one,
    restored,
    deleted,
    // What one of them did not touch, the other may have brought back.
    kept: onceEach([...one.kept, ...other.kept]).filter(({ path }) => !isBack(path)),
    failed: [...one.failed, ...other.failed],
    withoutSnapshot: [...one.withoutSnapshot, ...other.withoutSnapshot],
    otherRoots: union(one.otherRoots, other.otherRoots),
    ...Object.fromEntries(lists),
  };
}

/** A file that several of them keep is named once. */
function onceEach(kept: RestoreReport['kept']): RestoreReport['kept'] {
  return [...new Map(kept.toReversed().map((each) => [each.path, each])).values()].toReversed();
}

function union(one: readonly string[], other: readonly string[]): readonly string[] {
  return [...new Set([...one, ...other])];
}
