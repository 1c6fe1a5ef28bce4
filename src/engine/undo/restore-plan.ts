import { diskErrorReason } from '../../adapters/disk/file-system.ts';
import type { WorkProgress } from '../../ports/thread-store.ts';
import type { ContentBeforeCall } from '../../ports/workspace.ts';
import { inOpenFolder, isEmpty } from '../workspace/workspace-disk.ts';
import type { EntryStat, IsExpectedEntry, OpenFolder, WorkspaceDisk } from '../workspace/workspace-disk.ts';
import { encodeTree, contentHash, loadTree, sameEntry } from './snapshot-tree.ts';
import type {
  SnapshotPathChange,
  SnapshotPathChanges,
  ContentSource,
  ContentHash,
  SnapshotTree,
  TreeEntry,
  TreeNode,
} from './snapshot-tree.ts';
import { dirname } from 'node:path';

export interface WorkspaceTransition {
  /** `others`: made while a turn ran, but not by it. `unrecorded`: by it or others. `unknown`: since a cut-off turn. */
  readonly by: 'thread' | 'user' | 'others' | 'unrecorded' | 'unknown';
  readonly changes: SnapshotPathChanges;
}

/** One path to restore. Without `to` it is deleted; without `now` it does not exist. */
type RestoreAction = { readonly path: string; readonly now?: TreeNode; readonly to?: TreeNode };
export type KeptPath = { readonly path: string; readonly why: KeptReason };

/**
 * `changed-since`: another program or the user changed it after the thread did. `unknown`: perhaps one of them did.
 * `left-out`: the snapshot lacks its content, because of a limit or because it was unreadable. `in-the-way`: something
 * else has the path or is in the folder. `meanwhile`: others changed it while a turn ran. `not-recorded`: it appeared
 * while a turn ran, and the record does not say who made it.
 */
export type KeptReason = 'changed-since' | 'unknown' | 'left-out' | 'in-the-way' | 'meanwhile' | 'not-recorded';
export type RestorePlan = Readonly<ReturnType<typeof planRestore>>;

export interface PlanOptions {
  /** Also reverts what the user did to a path after the thread. */
  readonly force: boolean;
  /** Also reverts what others did while a turn ran. */
  readonly meanwhile: boolean;
}

/**
 * Plans how to undo all that the thread changed. The transitions must follow each other without a gap up to now. A path
 * goes back to before the thread first touched it; others' changes to it stay unless an option says so.
 */
export function planRestore(transitions: readonly WorkspaceTransition[], { force, meanwhile }: PlanOptions) {
  const actions: RestoreAction[] = [];
  const kept: KeptPath[] = [];
  for (const [path, story] of storiesOf(transitions)) {
    // An ignored path may have existed before, so only later changes to it can be reverted.
    const goesBack = ({ by, change }: Chapter): boolean =>
      by !== 'user' && (by !== 'others' || meanwhile) && change.ignored !== 'before';
    const now = story.at(-1)?.change.to;
    const first = story.findIndex(goesBack);
    const begun = story[first];
    if (begun === undefined) {
      if (isWorthTelling(story, now)) kept.push({ path, why: 'meanwhile' });
      continue;
    }
    const to = begun.change.from;
    if (sameEntry(now, to)) continue;
    const since = story.slice(first);
    if (begun.by === 'unrecorded' && to === undefined && !meanwhile) {
      if (now?.kind !== 'folder') kept.push({ path, why: 'not-recorded' });
      continue;
    }
    if (now?.kind === 'left-out' || to?.kind === 'left-out') kept.push({ path, why: 'left-out' });
    else if (!force && since.some(({ by }) => by === 'user' || (by === 'others' && !meanwhile)))
      kept.push({ path, why: 'changed-since' });
    else if (!force && since.some(({ by }) => by === 'unknown')) kept.push({ path, why: 'unknown' });
    else actions.push({ path, now, to });
  }
  return { actions, kept };
}

/** True if others visibly changed the path while a turn ran. Folders do not count: they follow from their contents. */
function isWorthTelling(story: readonly Chapter[], now: TreeNode | undefined): boolean {
  const from = story.find(({ by, change }) => by === 'others' && change.ignored === undefined)?.change;
  if (from === undefined || sameEntry(from.from, now)) return false;
  return [from.from, now].some((entry) => entry !== undefined && entry.kind !== 'folder');
}

type Chapter = Pick<WorkspaceTransition, 'by'> & { readonly change: SnapshotPathChange };

function storiesOf(transitions: readonly WorkspaceTransition[]): readonly (readonly [string, readonly Chapter[]])[] {
  const chapters = transitions.flatMap(({ by, changes }) =>
    [...changes].map(([path, change]) => ({ path, by, change })),
  );
  return [...Map.groupBy(chapters, ({ path }) => path)].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

const missingFolderMode = 0o755;

/** The tree that a fully successful restore leaves. Adds new trees. Rejects with `ContentGone`. */
export async function plannedTree(
  source: ContentSource,
  tree: ContentHash,
  actions: readonly RestoreAction[],
  add: (hash: ContentHash, content: Uint8Array) => void,
): Promise<ContentHash> {
  const keep = (entries: SnapshotTree): ContentHash => {
    const bytes = encodeTree(entries);
    const hash = contentHash(bytes);
    add(hash, bytes);
    return hash;
  };
  type Wanted = readonly RestoreAction[];
  const apply = async (before: SnapshotTree, depth: number, wanted: Wanted): Promise<SnapshotTree> => {
    const entries = new Map(before);
    const nameOf = ({ path }: RestoreAction): string => path.split('/', depth + 1)[depth]!;
    for (const [name, here] of Map.groupBy(wanted, nameOf)) {
      const own = here.find(({ path }) => path.split('/').length === depth + 1);
      const below = here.filter((action) => action !== own);
      const entry = await applyTo(entries.get(name), depth, own, below);
      if (entry === undefined) entries.delete(name);
      else entries.set(name, entry);
    }
    return [...entries];
  };
  const applyTo = async (
    now: TreeEntry | undefined,
    depth: number,
    own: RestoreAction | undefined,
    below: Wanted,
  ): Promise<TreeEntry | undefined> => {
    const to = own === undefined ? now : own.to;
    if (to !== undefined && to.kind !== 'folder') return to;
    const inner = await apply(now?.kind === 'folder' ? await loadTree(source, now.tree) : [], depth + 1, below);
    // A folder in which something stays is not removed.
    if (to === undefined && inner.length === 0) return undefined;
    const mode = to?.mode ?? (now?.kind === 'folder' ? now.mode : missingFolderMode);
    return { kind: 'folder', mode, tree: keep(inner) };
  };
  return keep(await apply(await loadTree(source, tree), 0, actions));
}

export type FailedPath = { readonly path: string; readonly reason: string };

interface RestorePorts {
  readonly root: string;
  readonly disk: WorkspaceDisk;
  read(hash: ContentHash): Promise<Uint8Array>;
  readonly progress?: WorkProgress;
}

/**
 * Carries out a plan path by path: a failure does not affect the others. Removes first, deepest paths before their
 * folders; then creates folders and files, and sets the modes of folders last. `read` rejects if a content is gone.
 * `left`: the content at each path that it changed, including those where it failed halfway.
 */
export async function runRestore({ root, disk, read, progress }: RestorePorts, actions: readonly RestoreAction[]) {
  const [restored, deleted] = [new Set<string>(), new Set<string>()];
  const kept: KeptPath[] = [];
  const failed: FailedPath[] = [];
  const out = new Set<string>();
  const left = new Map<string, ContentBeforeCall>();
  type End = 'done' | 'stands' | KeptPath['why'];
  const attempt = async (path: string, run: () => End | Promise<End>): Promise<boolean> => {
    if (out.has(path)) return false;
    try {
      const end = await run();
      if (end === 'done') return true;
      if (end !== 'stands') kept.push({ path, why: end });
    } catch (error) {
      failed.push({ path, reason: diskErrorReason(error) });
    }
    out.add(path);
    return false;
  };
  const shallowFirst = actions.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const deepestFirst = shallowFirst.toReversed();
  const at = (path: string): string => `${root}/${path}`;
  const needed = new Set(actions.flatMap(({ path, to }) => (to === undefined ? [] : foldersAbove(path))));
  /** Each path counts twice: once to clear its place, once to restore it. */
  let steps = 0;
  const step = () => progress?.(Math.floor(steps++ / 2), actions.length);

  for (const { path, now, to } of deepestFirst) {
    await step();
    if (now === undefined) continue;
    await attempt(path, () => {
      if (!isReal(disk, dirname(at(path)))) return 'in-the-way';
      if (!inOpenFolder(disk, at(path), (folder, name) => standsAs(folder, name, now))) return 'changed-since';
      // A file or link is replaced at once when its successor is written.
      if (now.kind === 'folder' ? to?.kind === 'folder' : to !== undefined && to.kind !== 'folder') return 'done';
      // Keep a folder that restored entries need: it would have to be created again.
      if (now.kind === 'folder' && to === undefined && needed.has(path)) return 'stands';
      if (now.kind !== 'folder') {
        if (!disk.remove(at(path), (folder, name) => standsAs(folder, name, now))) return 'changed-since';
      } else if (!isEmpty(disk.open(at(path)))) return 'in-the-way';
      else disk.removeFolder(at(path));
      left.set(path, 'nothing');
      if (to === undefined) deleted.add(path);
      return 'done';
    });
  }
  for (const { path, now, to } of shallowFirst) {
    await step();
    if (to === undefined || to.kind === 'left-out') continue;
    const isDone = await attempt(path, async () => {
      if (!makeParents(disk, root, dirname(at(path)), left)) return 'in-the-way';
      const isReplaced = now !== undefined && now.kind !== 'folder' && to.kind !== 'folder';
      if (!isReplaced && now?.kind !== to.kind && look(disk, at(path)) !== undefined) {
        // The entry was only ignored, and it already is as wanted.
        const isThere = inOpenFolder(disk, at(path), (folder, name) => standsAs(folder, name, to));
        return now === undefined && isThere ? 'stands' : 'in-the-way';
      }
      if (to.kind === 'folder') {
        // Keep the folder writable until its contents are restored.
        if (now?.kind === 'folder') disk.setMode(at(path), to.mode | 0o700);
        else disk.makeFolder(at(path), to.mode | 0o700);
      } else {
        // Check again: the user may have saved it while the others were replaced.
        const isAsBefore: IsExpectedEntry = (folder, name) => now !== undefined && standsAs(folder, name, now);
        const expected = isReplaced ? isAsBefore : 'nothing';
        const isPut =
          to.kind === 'file'
            ? disk.putFile(at(path), await read(to.hash), to.mode, expected)
            : disk.putLink(at(path), to.target, expected);
        if (!isPut) return isReplaced ? 'changed-since' : 'in-the-way';
      }
      left.set(path, contentOf(to));
      return 'done';
    });
    if (isDone) restored.add(path);
  }
  for (const { path, to } of deepestFirst)
    if (to?.kind === 'folder') await attempt(path, () => (disk.setMode(at(path), to.mode), 'done'));
  return { restored: [...restored], deleted: [...deleted].toSorted(), kept, failed, left };
}

function foldersAbove(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

function contentOf(entry: TreeNode): ContentBeforeCall {
  if (entry.kind === 'file') return { sha256: entry.hash };
  return entry.kind === 'folder' ? 'folder' : 'something';
}

function standsAs(folder: OpenFolder, name: string, entry: TreeNode): boolean {
  const sight = folder.look(name);
  if (sight === undefined || entry.kind === 'left-out' || sight.kind !== entry.kind) return false;
  if (entry.kind === 'folder') return true;
  if (entry.kind === 'link') return folder.readLink(name) === entry.target;
  return (
    sight.mode === entry.mode && sight.size === entry.size && contentHash(folder.read(name, entry.size)) === entry.hash
  );
}

const look = (disk: WorkspaceDisk, path: string): EntryStat | undefined =>
  inOpenFolder(disk, path, (folder, name) => folder.look(name));

/** True if no part of the folder's path is a link. */
const isReal = (disk: WorkspaceDisk, folder: string): boolean => disk.realPath(folder) === folder;

/** Creates missing parent folders, which were removed when they became empty. */
function makeParents(disk: WorkspaceDisk, root: string, folder: string, left: Map<string, ContentBeforeCall>): boolean {
  if (isReal(disk, folder)) return look(disk, folder)?.kind === 'folder';
  if (folder === root || !makeParents(disk, root, dirname(folder), left)) return false;
  if (look(disk, folder) !== undefined) return false;
  disk.makeFolder(folder, missingFolderMode);
  left.set(folder.slice(root.length + 1), 'folder');
  return true;
}
