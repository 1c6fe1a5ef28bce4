import { diskErrorReason } from '../../adapters/disk/file-system.ts';
import { createChangeWatch } from '../../adapters/exec/call-times.ts';
import { defined } from '../../base/objects.ts';
import { type OwnHomes, ownPathMatcher } from '../../core/policy/paths/special-places.ts';
import { snapshotLine } from '../../core/state/drafts/workspace-lines.ts';
import { waitingMessageLine } from '../../core/state/fold/waiting-messages.ts';
import type { IdSource } from '../../ports/system.ts';
import type { Owned, RolloutStore, WorkProgress } from '../../ports/thread-store.ts';
import type { SnapshotContents, SnapshotRequest, Snapshots, WorkspaceContents } from '../../ports/workspace.ts';
import type { Ordinal, ThreadId, TurnId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { type RestoredFiles, withoutParentFolders } from '../../protocol/turn-item.ts';
import { type EngineRefused, engineRefused } from '../engine-refused.ts';
import { inOpenFolder, type WorkspaceDisk } from '../workspace/workspace-disk.ts';
import { readEffects, transitionsOf } from './recorded-effects.ts';
import type { RecordedEffect, EffectList, UnsandboxedCall } from './recorded-effects.ts';
import { plannedTree, planRestore, runRestore } from './restore-plan.ts';
import type { FailedPath, KeptPath, PlanOptions, RestorePlan } from './restore-plan.ts';
import { changesWithout, compareTrees, ContentGone, contentHash, loadContent } from './snapshot-tree.ts';
import type { SnapshotPathChanges, ContentSource, ContentHash } from './snapshot-tree.ts';
import { type FileDiff, fileDiffEntry } from './unified-diff.ts';

/** Restores files to before a turn, or to before the last restore. */
export type RestoreTarget = { readonly beforeTurn: TurnId } | { readonly beforeRestore: 'last' };

export interface RestoreOptions {
  readonly dryRun: boolean;
  /** A dry run also reports how each file would change. */
  readonly diffs?: boolean;
  /** Also reverts later changes by the user or other programs. An undo brings the replaced state back. */
  readonly force: boolean;
  /** Also reverts what others changed while a turn ran. */
  readonly meanwhile?: boolean;
  /** Counts files and folders brought back or removed. */
  readonly progress?: WorkProgress;
  /** Called with the message that the model reads about the restore. With agents, the last call names all files. */
  readonly told?: (files: RestoredFiles) => void;
}

/** Paths are below the root. */
export interface RestoreReport {
  readonly kind: 'restored';
  readonly root: string;
  readonly restored: readonly string[];
  readonly deleted: readonly string[];
  readonly kept: readonly KeptPath[];
  readonly failed: readonly FailedPath[];
  /** Turns with unknown changes, since no snapshot was taken before them. */
  readonly withoutSnapshot: readonly TurnId[];
  /** Other workspaces of the turns, which stay unchanged. */
  readonly otherRoots: readonly string[];
  /** Turns whose record does not separate their changes from others'. Absent if there are none. */
  readonly notAttributed?: readonly TurnId[];
  /** Calls that ran outside the sandbox: the restore leaves their changes elsewhere. Absent if there are none. */
  readonly outside?: readonly UnsandboxedCall[];
  /** Diffs from the present state to the restored one, if a dry run requested them. */
  readonly diffs?: readonly RestoreDiff[];
}

export interface RestoreDiff {
  readonly path: string;
  readonly kind: 'added' | 'changed' | 'deleted';
  readonly diff: FileDiff;
}

export interface RestoreParts {
  readonly home: string;
  readonly threads: RolloutStore;
  readonly contents: SnapshotContents;
  readonly snapshots: Snapshots;
  readonly disk: WorkspaceDisk;
  readonly ids: IdSource;
  /** Places that the thread may not read: they are neither copied nor changed. */
  denies(path: string): boolean;
  /** Places of the engine, never changed: older snapshots may contain some of them. */
  own(): OwnHomes;
}

/** Restores files. Holds the thread meanwhile: no turn of it may work on the same files. */
export async function restoreFiles(
  parts: RestoreParts,
  id: ThreadId,
  target: RestoreTarget,
  options: RestoreOptions,
  /** The restores of its agents just before; the message to this thread's model includes them. */
  agents: readonly RestoreReport[] = [],
): Promise<RestoreReport | EngineRefused> {
  const { dryRun, diffs = false, force, meanwhile = false, progress, told } = options;
  if (dryRun) return restore(parts, id, target, { force, meanwhile, diffs });
  const owned = await parts.threads.open(id);
  if (owned.kind === 'refused') return engineRefused(owned);
  const work = { force, meanwhile, owned, agents, progress, told };
  return restore(parts, id, target, work).finally(() => owned.close());
}

interface RestoreWork extends Pick<RestoreOptions, 'progress' | 'told' | 'diffs'> {
  readonly owned?: Owned;
  readonly agents?: readonly RestoreReport[];
}

async function restore(
  parts: RestoreParts,
  id: ThreadId,
  target: RestoreTarget,
  { force, meanwhile, owned, agents = [], progress, told, diffs }: PlanOptions & RestoreWork,
): Promise<RestoreReport | EngineRefused> {
  const list = await readEffects(parts.threads.read(id, { from: 0 as Ordinal }));
  // The thread's next request must say what went back, because its model knows these files differently.
  const tell = async (...own: readonly RestoreReport[]): Promise<void> => {
    const files = restoreMessage(list, 'beforeTurn' in target ? target : {}, [...own, ...agents]);
    if (owned === undefined || files === undefined) return;
    owned.append([waitingMessageLine({ id: parts.ids.uuid(), kind: 'files', files })]);
    await owned.durable();
    told?.(files);
  };
  const chosen = chooseEffects(id, list, target);
  if ('code' in chosen) {
    await tell();
    return engineRefused(chosen);
  }
  const root = chosen.effects.findLast(({ before }) => before !== undefined)?.root;
  if (root === undefined) {
    await tell();
    return engineRefused(nothingToRestore(id, chosen.withoutSnapshot.length));
  }
  const effects = chosen.effects.filter((effect) => effect.root === root);
  const contents = await parts.contents.of(root);
  const now = await take(parts, root);
  if ('code' in now) return engineRefused(now);
  let plan: RestorePlan;
  const isOwn = ownPathMatcher(parts.own(), root);
  const compare = async (from: ContentHash, to: ContentHash): Promise<SnapshotPathChanges> =>
    changesWithout(
      await compareTrees(contents, from, to),
      (path) => isOwn(`${root}/${path}`) || parts.denies(`${root}/${path}`),
    );
  try {
    plan = planRestore(await transitions(effects, now.tree, target, compare), { force, meanwhile });
  } catch (error) {
    if (error instanceof ContentGone) return engineRefused(contentGone(root));
    throw error;
  }
  const { withoutSnapshot } = chosen;
  const otherRoots = [...new Set(chosen.effects.map((effect) => effect.root))].filter((other) => other !== root);
  const unclear = turnsIn(effects.filter(({ after, others }) => after !== undefined && others === undefined));
  const lists = defined({
    notAttributed: unclear.length === 0 || 'beforeRestore' in target ? undefined : unclear,
    outside: chosen.outside.length === 0 ? undefined : chosen.outside,
  });
  const known = { kind: 'restored', root, withoutSnapshot, otherRoots, ...lists } as const;
  if (owned === undefined || plan.actions.length === 0) {
    await tell();
    const shown = diffs === true ? { diffs: await diffsOf(contents, plan) } : {};
    return { ...known, ...foreseen(plan), failed: [], ...shown };
  }

  const changer = { kind: 'restore', restoreId: parts.ids.uuid() } as const;
  const prepared = await prepareUndo(parts.disk, contents, { root, tree: now.tree, actions: plan.actions });
  if ('code' in prepared) return engineRefused(prepared);
  owned.append([snapshotLine(changer, 'before', now, prepared)]);
  await owned.durable();
  // Concurrent turns of other threads in the folder must not take this for their own work.
  const open = createChangeWatch(parts.home).begin(root);
  const ports = { root, disk: parts.disk, read: (hash: ContentHash) => loadContent(contents, hash), progress };
  const { left, ...result } = await runRestore(ports, plan.actions);
  const { id: timeId } = open.end();
  const paths = [...left].map(([path, content]) => ({ path: `${root}/${path}`, left: content }));
  const after = await take(parts, root, { snapshot: now, touched: [{ kind: 'paths', paths, timeId }] });
  if (!('code' in after)) owned.append([snapshotLine(changer, 'after', after)]);
  const report = { ...known, ...result, kept: [...plan.kept, ...result.kept] };
  await tell(report);
  await owned.durable();
  return report;
}

function chooseEffects(id: ThreadId, { turns, effects, outside }: EffectList, target: RestoreTarget) {
  if ('beforeRestore' in target) {
    const last = effects.findLastIndex(({ changer }) => changer.kind === 'restore');
    return last < 0 ? nothingToUndo : { effects: effects.slice(last), withoutSnapshot: [], outside: [] };
  }
  const number = turns.findIndex(({ id }) => id === target.beforeTurn);
  if (number < 0) return unknownTurn(id, target.beforeTurn);
  const later = new Set(turns.slice(number).map(({ id }) => id));
  const first = effects.findIndex(({ changer }) => changer.kind === 'turn' && later.has(changer.turnId));
  const chosen = first < 0 ? [] : effects.slice(first);
  return {
    effects: chosen,
    withoutSnapshot: turnsIn(chosen.filter(({ before }) => before === undefined)),
    outside: outside.filter(({ turnId }) => later.has(turnId)),
  };
}

const turnsIn = (effects: readonly RecordedEffect[]): readonly TurnId[] =>
  effects.flatMap(({ changer }) => (changer.kind === 'turn' ? [changer.turnId] : []));

async function transitions(
  effects: readonly RecordedEffect[],
  now: ContentHash,
  target: RestoreTarget,
  compare: (from: ContentHash, to: ContentHash) => Promise<SnapshotPathChanges>,
) {
  const all = await transitionsOf(effects, now, compare);
  if ('beforeTurn' in target) return all;
  // Undo only the restore and treat later turns as the user's. After a cut-off restore, unknown changes are its own.
  const isOfRestore = ({ effect, by }: (typeof all)[number], at: number): boolean =>
    effect === 0 || (at === 0 && by === 'unknown');
  return all.map((one, at) => (isOfRestore(one, at) ? one : { ...one, by: 'user' as const }));
}

/** Before any change, stores the contents to replace and the intended tree, which shows what a cut-off restore did. */
async function prepareUndo(
  disk: WorkspaceDisk,
  contents: WorkspaceContents,
  {
    root,
    tree,
    actions,
  }: { readonly root: string; readonly tree: ContentHash; readonly actions: RestorePlan['actions'] },
): Promise<{ readonly aim: ContentHash } | Outcome> {
  const draft = contents.begin();
  try {
    for (const { path, now } of actions) {
      if (now?.kind !== 'file' || (await contents.load(now.hash)) !== undefined) continue;
      const bytes = inOpenFolder(disk, `${root}/${path}`, (folder, name) => folder.read(name, now.size));
      if (contentHash(bytes) !== now.hash) throw new Error(`${path} changes at this moment`);
      draft.add(now.hash, bytes);
    }
    const aim = await plannedTree(contents, tree, actions, (hash, bytes) => draft.add(hash, bytes));
    await draft.finish();
    return { aim };
  } catch (error) {
    await draft.discard();
    if (error instanceof ContentGone) return contentGone(root);
    return unsafe(`Capstan cannot keep what the restore would replace in ${root}: ${diskErrorReason(error)}.`);
  }
}

async function take({ snapshots, denies }: RestoreParts, root: string, since?: SnapshotRequest['since']) {
  const taken = await snapshots.take({ root, denies, since }, new AbortController().signal);
  return taken.kind === 'taken' ? taken : unsafe(taken.outcome.message);
}

const unsafe = (message: string): Outcome<'restore-unsafe'> => ({
  code: 'restore-unsafe',
  message,
  next: 'Nothing was changed. Fix the cause and try again.',
});

function foreseen({ actions, kept }: RestorePlan) {
  const [gone, back] = [actions.filter(({ to }) => to === undefined), actions.filter(({ to }) => to !== undefined)];
  return { restored: back.map(({ path }) => path), deleted: gone.map(({ path }) => path), kept };
}

async function diffsOf(source: ContentSource, { actions }: RestorePlan): Promise<readonly RestoreDiff[]> {
  const diffs: RestoreDiff[] = [];
  for (const { path, now, to } of actions) {
    if ((now ?? to)?.kind === 'folder' && (to ?? now)?.kind === 'folder') continue;
    const kind = now === undefined ? 'added' : to === undefined ? 'deleted' : 'changed';
    diffs.push({ path, kind, diff: await fileDiffEntry(source, { from: now, to }) });
  }
  return diffs;
}

function nothingToRestore(id: ThreadId, withoutSnapshot: number): Outcome<'nothing-to-restore'> {
  if (withoutSnapshot === 0) {
    const message = 'No turn since then can have changed a file.';
    const next = `List what turns changed with \`capstan threads files ${id}\`.`;
    return { code: 'nothing-to-restore', message, next };
  }
  const message = 'There is no snapshot from before the turns that may have changed files.';
  return { code: 'nothing-to-restore', message, next: 'Use your version control to restore files.' };
}

const nothingToUndo: Outcome<'nothing-to-undo'> = {
  code: 'nothing-to-undo',
  message: 'This thread has no restore to undo.',
  next: 'To restore files, name a turn with --before-turn.',
};

function unknownTurn(id: ThreadId, turnId: TurnId): Outcome<'turn-unknown'> {
  const message = `The thread has no turn ${turnId}.`;
  return { code: 'turn-unknown', message, next: `List its turns with \`capstan threads files ${id}\`.` };
}

function contentGone(root: string): Outcome<'snapshot-gone'> {
  const next = 'Nothing was changed. Use your version control to restore files.';
  return { code: 'snapshot-gone', message: `A snapshot of ${root} is missing or damaged.`, next };
}

/** The most files that one line names. */
const mostNamed = 5000;

/** The message to a thread about restored files, its own and those of its agents. Undefined if none were restored. */
function restoreMessage(
  { turns, putBack: last }: Pick<EffectList, 'turns' | 'putBack'>,
  /** Absent if the restore undoes the last one. */
  { beforeTurn }: { readonly beforeTurn?: TurnId },
  reports: readonly RestoreReport[],
): RestoredFiles | undefined {
  const paths = (of: 'restored' | 'deleted'): readonly string[] => [
    ...new Set(reports.flatMap((report) => report[of].map((path) => `${report.root}/${path}`))),
  ];
  const [back, gone] = [paths('restored'), paths('deleted')];
  const all = [...back, ...gone];
  const [restored, deleted] = [withoutParentFolders(back, all), withoutParentFolders(gone, all)];
  const count = restored.length + deleted.length;
  if (count === 0) return undefined;
  const named = { restored: restored.slice(0, mostNamed), deleted: deleted.slice(0, mostNamed) };
  const more = count - named.restored.length - named.deleted.length || undefined;
  // Undoing an undo restores the files again, so the message must not call them undone.
  const isUndone = (beforeTurn === undefined && last?.isUndone !== true) || undefined;
  const turnId = beforeTurn ?? last?.before?.turnId;
  return { ...named, ...defined({ before: turnBefore(turns, turnId), isUndone, more }) };
}

function turnBefore(turns: EffectList['turns'], turnId: TurnId | undefined): RestoredFiles['before'] {
  const turn = turns.find(({ id }) => id === turnId);
  return turn && { turnId: turn.id, number: turn.number, words: turn.firstWords.slice(0, 200) };
}
