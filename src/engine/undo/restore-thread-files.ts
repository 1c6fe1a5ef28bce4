import { findPermissionPlaces } from '../../adapters/gather/permission-places.ts';
import { configuredProfile } from '../../adapters/gather/settings/choose-profile.ts';
import { noOwnPlaces } from '../../core/policy/paths/special-places.ts';
import { resolvePolicy } from '../../core/policy/profiles/resolve-policy.ts';
import { withDeniedReads } from '../../core/policy/requirements.ts';
import { readTurnEvent } from '../../core/state/drafts/turn-lines.ts';
import { readSnapshotLine } from '../../core/state/drafts/workspace-lines.ts';
import { agentIdentityIn, foldAgent } from '../../core/state/fold/agents.ts';
import { lastSettings } from '../../core/state/resumed-settings.ts';
import type { ReadOptions, ReadReport, RolloutStore } from '../../ports/thread-store.ts';
import type { Ordinal, ThreadId, TurnId } from '../../protocol/ids.ts';
import { type JsonObject, objectAt } from '../../protocol/json.ts';
import { type Line, lineType } from '../../protocol/line.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { EngineParts } from '../engine-parts.ts';
import { type EngineRefused, engineRefused } from '../engine-refused.ts';
import { ownHomes, systemMounts } from '../sandbox/protected-paths.ts';
import type { HomeStore } from '../store/home-store.ts';
import { readPlaces } from '../store/stored-thread-details.ts';
import { findThreadOrigin, isLineOfThisHome } from '../store/thread-origin.ts';
import { lazySnapshots } from '../thread-setup/lazy-workspace.ts';
import { loadThreadState } from '../thread/branch/resume-thread.ts';
import { findFirstTurnToRollBack, type RollbackTarget } from '../thread/branch/rollback-range.ts';
import { isMadeByRollback } from '../thread/branch/rollback.ts';
import { deniedPathCheck } from '../thread/turn-effects.ts';
import { nodeWorkspaceDisk as disk } from '../workspace/workspace-disk.ts';
import { fileChanges, type FileChangesOptions } from './file-changes.ts';
import { restoreFiles, type RestoreOptions, type RestoreReport, type RestoreTarget } from './restore-files.ts';

/** Restores files of a thread and of its agents. Theirs go first, so that the thread finds files as it left them. */
export async function restoreThreadFiles(
  parts: EngineParts,
  id: ThreadId,
  target: RestoreTarget,
  options: RestoreOptions,
  above: readonly ThreadId[] = [],
): Promise<RestoreReport | EngineRefused> {
  const found = await agentRestores(parts.store, id, target);
  const agents = found.filter((agent) => agent.id !== id && !above.includes(agent.id));
  if (agents.length === 0) return restoreOwnFiles(parts, id, target, options);
  // If Capstan must refuse the thread's own restore, it restores no agent's files either.
  const foreseen = await restoreOwnFiles(parts, id, target, { ...options, dryRun: true });
  if (foreseen.kind === 'refused' && !hasNothingToRestore(foreseen)) return foreseen;
  const reports: RestoreReport[] = [];
  for (const agent of agents) {
    const report = await restoreThreadFiles(parts, agent.id, agent.target, options, [...above, id]);
    if (report.kind === 'restored') reports.push(report);
    else if (!hasNothingToRestore(report)) return report;
  }
  return joinRestoreReports(await restoreOwnFiles(parts, id, target, options, reports), reports);
}

/** Takes a snapshot first. Ignores snapshots that this home did not record: they could name any folder and state. */
async function restoreOwnFiles(
  parts: EngineParts,
  id: ThreadId,
  target: RestoreTarget,
  options: RestoreOptions,
  agents: readonly RestoreReport[] = [],
): Promise<RestoreReport | EngineRefused> {
  const { ids, base, threadStore } = parts;
  const { home, config } = base;
  const { contents } = threadStore;
  const snapshots = lazySnapshots(parts, config.undo);
  const denies = await deniedIn(parts, id);
  const { store: threads, left } = withOwnSnapshots(parts);
  const ports = { home, threads, contents, snapshots, disk, ids, denies, own: parts.ownPlaces };
  const report = await restoreFiles(ports, id, target, options, agents);
  if (report.kind !== 'refused') return report;
  const { code } = report.outcome;
  if (code === 'nothing-to-restore' && left() > 0) return engineRefused(foreignSnapshots(id));
  if (code !== 'nothing-to-undo') return report;
  const current = await parts.store.current(id);
  return current.kind === 'current' && isMadeByRollback(current.meta) ? engineRefused(restoreTakenBack(id)) : report;
}

function restoreTakenBack(id: ThreadId): Outcome<'nothing-to-undo'> {
  const message = `Thread ${id} has no restore to undo. It was rolled back, and the record of a restore may be in the turns that were removed.`;
  const next = `Run \`capstan threads undo-rollback ${id}\` first, then \`capstan threads restore ${id} --undo\`.`;
  return { code: 'nothing-to-undo', message, next };
}

function foreignSnapshots(id: ThreadId): Outcome<'snapshots-foreign'> {
  const message = `The snapshots of thread ${id} were not recorded by Capstan in this home folder.`;
  const next = 'Nothing was changed. Use your version control to restore files.';
  return { code: 'snapshots-foreign', message, next };
}

/** Files that turns of a thread changed, as far as this home's snapshots show. */
export function threadFileChanges(parts: HomeStore, id: ThreadId, { diffs }: Pick<FileChangesOptions, 'diffs'>) {
  const own = ownHomes({ home: parts.home, ...parts.user, mounts: systemMounts() });
  return fileChanges(parts.threadStore.contents, withOwnSnapshots(parts).store, id, { diffs, own });
}

/** Hides snapshots that this home did not record, and counts them. */
function withOwnSnapshots({ store, seals }: HomeStore) {
  let left = 0;
  async function* read(id: ThreadId, options: ReadOptions): AsyncGenerator<Line, ReadReport> {
    const lines = store.read(id, options);
    let meta: JsonObject | undefined;
    try {
      for (;;) {
        const next = await lines.next();
        if (next.done === true) return next.value;
        const line = next.value;
        if (line.type === lineType.sessionMeta) meta ??= line.payload;
        const isLeft =
          line.type === lineType.snapshot &&
          !(await isLineOfThisHome({ store, seals }, { id, meta: meta ?? {} }, line));
        if (isLeft) left += 1;
        else yield line;
      }
    } finally {
      await lines.return({ skipped: 0 });
    }
  }
  return { store: { ...store, read }, left: () => left };
}

/** Paths that the thread's next turn could not read. */
async function deniedIn(parts: EngineParts, id: ThreadId): Promise<(path: string) => boolean> {
  const { store, options, base } = parts;
  const { state } = await loadThreadState(store, id);
  const { sandbox: had, cwd = '/' } = lastSettings(state);
  const configured = configuredProfile(base.config);
  const profile = (await findThreadOrigin(parts, id, state)) === 'ours' ? had : configured;
  const places = findPermissionPlaces(cwd, options.env, { own: noOwnPlaces });
  return deniedPathCheck(resolvePolicy(withDeniedReads(base.requirements, profile ?? configured), places));
}

/** Restores files to before the first turn that a rollback would remove. */
export async function restoreRolledBackFiles(
  parts: EngineParts,
  id: ThreadId,
  to: RollbackTarget,
  options: RestoreOptions,
): Promise<RestoreReport | EngineRefused> {
  const first = findFirstTurnToRollBack(id, await readPlaces(parts.store, id), to);
  return 'code' in first ? engineRefused(first) : restoreThreadFiles(parts, id, { beforeTurn: first.id }, options);
}

export type AgentRestore = { readonly id: ThreadId; readonly target: RestoreTarget };

/** Agents' work for the reverted turns, assigned by time. Agents that were given work last come first. */
async function agentRestores(store: RolloutStore, id: ThreadId, target: RestoreTarget) {
  const found = await ('beforeTurn' in target ? workSince(store, id, target.beforeTurn) : restoresSince(store, id));
  const isOurs = await Promise.all(found.map((agent) => isAgentOf(store, agent.id, id)));
  return found.filter((_, at) => isOurs[at]);
}

/** Checks the agent's own record, since a line can name any thread. */
async function isAgentOf(store: RolloutStore, agent: ThreadId, id: ThreadId): Promise<boolean> {
  const current = await store.current(agent);
  return current.kind === 'current' && agentIdentityIn(current.meta)?.parentId === id;
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

/** Agents with a restore after their parent's last turn: their files went back together with their parent's. */
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
    if ((await findLine(store, agent, isRestore)) !== undefined)
      restores.push({ id: agent, target: { beforeRestore: 'last' } });
  }
  return restores;
}

function startOf({ type, payload }: Line): TurnId | undefined {
  const event = type === lineType.event ? readTurnEvent(payload) : undefined;
  return event?.kind === 'start' ? (event.name as TurnId) : undefined;
}

/** Undefined also if the thread does not exist. */
async function findLine(store: RolloutStore, id: ThreadId, isMeant: (line: Line) => boolean) {
  if ((await store.current(id)).kind === 'refused') return undefined;
  for await (const line of store.read(id, { from: 0 as Ordinal })) if (isMeant(line)) return line;
  return undefined;
}

type Restored = RestoreReport | EngineRefused;

function hasNothingToRestore(report: Restored): boolean {
  if (report.kind !== 'refused') return false;
  return report.outcome.code === 'nothing-to-restore' || report.outcome.code === 'nothing-to-undo';
}

/** Joins the reports of a thread and its agents. Facts about another folder stay in the report of their thread. */
function joinRestoreReports(own: Restored, agents: readonly RestoreReport[]): Restored {
  const [first, ...rest] = own.kind === 'restored' ? [own, ...agents] : agents;
  if (first === undefined || (own.kind === 'refused' && !hasNothingToRestore(own))) return own;
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
    // One thread may have kept a path that another one restored.
    kept: onceEach([...one.kept, ...other.kept]).filter(({ path }) => !isBack(path)),
    failed: [...one.failed, ...other.failed],
    withoutSnapshot: [...one.withoutSnapshot, ...other.withoutSnapshot],
    otherRoots: union(one.otherRoots, other.otherRoots),
    ...Object.fromEntries(lists),
  };
}

const onceEach = (kept: RestoreReport['kept']): RestoreReport['kept'] =>
  [...new Map(kept.toReversed().map((each) => [each.path, each])).values()].toReversed();

const union = (one: readonly string[], other: readonly string[]): readonly string[] => [...new Set([...one, ...other])];
