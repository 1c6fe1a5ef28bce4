import { configuredProfile } from '../../gather/settings/choose-profile.ts';
import { findPlaces } from '../../gather/system/places.ts';
import { withDeniedReads } from '../../policy/denied-reads.ts';
import { resolvePolicy } from '../../policy/resolve-policy.ts';
import type { ReadOptions, ReadReport } from '../../ports/rollout-store.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { type Line, lineType } from '../../protocol/line.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { lastSettings } from '../../state/resumed-settings.ts';
import { isOurLine } from '../../thread/branch/own-lines.ts';
import { readPlaces } from '../../thread/branch/read-turns.ts';
import { beganWithRollback } from '../../thread/branch/revert.ts';
import { foldThread } from '../../thread/branch/resume.ts';
import { firstTaken, type RollbackTo } from '../../thread/branch/rollback-range.ts';
import { deniedBy } from '../../thread/parts/turn-effects.ts';
import { fileChanges, type FileChangesOptions, type ThreadFiles } from '../../workspace/file-changes.ts';
import { nodeWorkspaceDisk as disk } from '../../workspace/node-workspace-disk.ts';
import {
  restoreFiles,
  type RestoreOptions,
  type RestoreReport,
  type RestoreTarget,
} from '../../workspace/restore-files.ts';
import type { EngineParts } from './engine-parts.ts';
import { type EngineRefused, engineRefused } from './engine-refused.ts';
import type { HomeStore } from './home-store.ts';
import { agentRestores, hasNothing, joinedReports } from './restore-agent-files.ts';
import { lazySnapshots } from './lazy-workspace.ts';
import { standingOf } from './thread-standing.ts';
import { noOwnPlaces } from '../../policy/own-places.ts';
import { ownHomes, systemMounts } from './own-places.ts';

/**
 * The same with what its agents did for the turns that are taken back: they worked for it. Theirs goes first, so that the
 * thread finds files as it left them.
 */
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
  // What refuses the thread refuses all of it.
  const foreseen = await restoreOwnFiles(parts, id, target, { ...options, dryRun: true });
  if (foreseen.kind === 'refused' && !hasNothing(foreseen)) return foreseen;
  const reports: RestoreReport[] = [];
  for (const agent of agents) {
    const report = await restoreThreadFiles(parts, agent.id, agent.target, options, [...above, id]);
    if (report.kind === 'restored') reports.push(report);
    else if (!hasNothing(report)) return report;
  }
  return joinedReports(await restoreOwnFiles(parts, id, target, options, reports), reports);
}

/**
 * Takes a snapshot of what is there before it brings files back: that can be undone too. Snapshots that this home did
 * not record do not count: a file from elsewhere could name any folder, and any state of it that was ever kept.
 */
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
  return current.kind === 'current' && beganWithRollback(current.meta) ? engineRefused(restoreTakenBack(id)) : report;
}

function restoreTakenBack(id: ThreadId): Outcome<'nothing-to-undo'> {
  return {
    code: 'nothing-to-undo',
    message: `Thread ${id} has no restore to undo. It was rolled back, and the record of a restore may be in the turns that were removed.`,
    next: `Run \`capstan threads undo-rollback ${id}\` first, then \`capstan threads restore ${id} --undo\`.`,
  };
}

function foreignSnapshots(id: ThreadId): Outcome<'snapshots-foreign'> {
  return {
    code: 'snapshots-foreign',
    message: `The snapshots of thread ${id} were not recorded by Capstan in this home folder.`,
    next: 'Nothing was changed. Use your version control to restore files.',
  };
}

/** What turns of a thread changed in files, as far as snapshots of this home show. */
export function threadFileChanges(
  parts: HomeStore,
  id: ThreadId,
  { diffs }: Pick<FileChangesOptions, 'diffs'>,
): Promise<ThreadFiles> {
  const own = ownHomes({ home: parts.home, ...parts.user, mounts: systemMounts() });
  return fileChanges(parts.threadStore.contents, withOwnSnapshots(parts).store, id, { diffs, own });
}

/** The same threads without snapshots that this home did not record, and how many of those there were. */
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
          line.type === lineType.snapshot && !(await isOurLine({ store, seals }, { id, meta: meta ?? {} }, line));
        if (isLeft) left += 1;
        else yield line;
      }
    } finally {
      await lines.return({ skipped: 0 });
    }
  }
  return { store: { ...store, read }, left: () => left };
}

/** What the next turn of the thread could not read. */
async function deniedIn(parts: EngineParts, id: ThreadId): Promise<(path: string) => boolean> {
  const { store, options, base } = parts;
  const { state } = await foldThread(store, id);
  const { sandbox: had, cwd = '/' } = lastSettings(state);
  const configured = configuredProfile(base.config);
  const profile = (await standingOf(parts, id, state)) === 'ours' ? had : configured;
  const places = findPlaces(cwd, options.env, { own: noOwnPlaces });
  return deniedBy(resolvePolicy(withDeniedReads(base.requirements, profile ?? configured), places));
}

/** To before the first turn that a rollback would take back. */
export async function restoreRolledBackFiles(
  parts: EngineParts,
  id: ThreadId,
  to: RollbackTo,
  options: RestoreOptions,
): Promise<RestoreReport | EngineRefused> {
  const first = firstTaken(id, await readPlaces(parts.store, id), to);
  return 'code' in first ? engineRefused(first) : restoreThreadFiles(parts, id, { beforeTurn: first.id }, options);
}
