import { reasonOf } from '../../adapters/disk/file-system.ts';
import type { WorkProgress } from '../../ports/thread-store.ts';
import type { FoundContent } from '../../ports/workspace.ts';
import {
  type EntryStat,
  inOpenFolder,
  isEmpty,
  type IsExpected,
  type OpenFolder,
  type WorkspaceDisk,
} from '../workspace/workspace-disk.ts';
import {
  type Change,
  type Changes,
  type ContentSource,
  encodeTree,
  type Hash,
  hashOf,
  loadTree,
  sameEntry,
  type Tree,
  type TreeEntry,
  type TreeNode,
} from './snapshot-tree.ts';
import { dirname } from 'node:path';

/** What happened to a workspace between two moments, and who did it. */
export interface Transition {
  /**
   * `others`: it happened while a turn ran, and the turn did not do it. `unrecorded`: the same, from a record that does
   * not say who did. `unknown`: a turn was cut off, so that its changes and later ones of the user cannot be separated.
   */
  readonly by: 'thread' | 'user' | 'others' | 'unrecorded' | 'unknown';
  readonly changes: Changes;
}

/** One path that a restore brings back. Without `to` it is deleted, without `now` it does not exist. */
interface RestoreAction {
  readonly path: string;
  readonly now?: TreeNode;
  readonly to?: TreeNode;
}

export interface KeptPath {
  readonly path: string;
  readonly why: KeptReason;
}

/**
 * `changed-since`: another program or the user changed it after the thread did. `unknown`: perhaps one of them did.
 * `left-out`: its content is not kept, by a limit or because it could not be read. `in-the-way`: something else stands
 * there or in it. `meanwhile`: it changed while a turn ran, and not by the turn. `not-recorded`: it was made while a
 * turn ran, and the record does not say by whom.
 */
export type KeptReason = 'changed-since' | 'unknown' | 'left-out' | 'in-the-way' | 'meanwhile' | 'not-recorded';

export interface RestorePlan {
  readonly actions: readonly RestoreAction[];
  readonly kept: readonly KeptPath[];
}

export interface PlanOptions {
  /** Also takes back what the user did to a path after the thread. */
  readonly force: boolean;
  /** Also takes back what others did while a turn ran. */
  readonly meanwhile: boolean;
}

/**
 * What to do so that everything the thread changed is as it was, and everything else stays. The transitions follow each
 * other without a gap up to now. A path goes back to what it was before the thread first touched it; what others did
 * to it is not lost unless an option says so.
 */
export function planRestore(transitions: readonly Transition[], { force, meanwhile }: PlanOptions): RestorePlan {
  const actions: RestoreAction[] = [];
  const kept: KeptPath[] = [];
  for (const [path, story] of storiesOf(transitions)) {
    // What was ignored until then may have been there: only what is done to it later can be taken back.
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
    else actions.push({ path, ...(now && { now }), ...(to && { to }) });
  }
  return { actions, kept };
}

/** What others did while a turn ran, and what can still be seen of it. Folders follow from what is in them. */
function isWorthTelling(story: readonly Chapter[], now: TreeNode | undefined): boolean {
  const from = story.find(({ by, change }) => by === 'others' && change.ignored === undefined)?.change;
  if (from === undefined || sameEntry(from.from, now)) return false;
  return [from.from, now].some((entry) => entry !== undefined && entry.kind !== 'folder');
}

interface Chapter {
  readonly by: Transition['by'];
  readonly change: Change;
}

/** What happened to each path, in order. */
function storiesOf(transitions: readonly Transition[]): readonly (readonly [string, readonly Chapter[]])[] {
  const chapters = transitions.flatMap(({ by, changes }) =>
    [...changes].map(([path, change]) => ({ path, by, change })),
  );
  return [...Map.groupBy(chapters, ({ path }) => path)].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Folders that are missing on the way to what comes back are made with this mode. */
const missingFolderMode = 0o755;

/** The tree that a restore leaves if all of its plan can be carried out. New trees are added. Rejects with `ContentGone`. */
export async function plannedTree(
  source: ContentSource,
  tree: Hash,
  actions: readonly RestoreAction[],
  add: (hash: Hash, content: Uint8Array) => void,
): Promise<Hash> {
  const keep = (entries: Tree): Hash => {
    const bytes = encodeTree(entries);
    const hash = hashOf(bytes);
    add(hash, bytes);
    return hash;
  };
  const apply = async (before: Tree, depth: number, wanted: readonly RestoreAction[]): Promise<Tree> => {
    const entries = new Map(before);
    const nameOf = ({ path }: RestoreAction): string => path.split('/', depth + 1)[depth]!;
    for (const [name, here] of Map.groupBy(wanted, nameOf)) {
      const own = here.find(({ path }) => path.split('/').length === depth + 1);
      const entry = await applyTo(
        entries.get(name),
        depth,
        own,
        here.filter((action) => action !== own),
      );
      if (entry === undefined) entries.delete(name);
      else entries.set(name, entry);
    }
    return [...entries];
  };
  const applyTo = async (
    now: TreeEntry | undefined,
    depth: number,
    own: RestoreAction | undefined,
    below: readonly RestoreAction[],
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

export interface FailedPath {
  readonly path: string;
  readonly reason: string;
}

export interface RestoreResult {
  readonly restored: readonly string[];
  readonly deleted: readonly string[];
  readonly kept: readonly KeptPath[];
  readonly failed: readonly FailedPath[];
  /** The content at each path that it changed, those where it failed halfway included. */
  readonly left: ReadonlyMap<string, FoundContent>;
}

export interface RestorePorts {
  readonly root: string;
  readonly disk: WorkspaceDisk;
  read(hash: Hash): Promise<Uint8Array>;
  readonly progress?: WorkProgress;
}

/**
 * Carries out a plan, path by path: what fails or is no longer as it was leaves the others alone. What has to go goes
 * first, the deepest before what it is in; then folders and files come, and the modes of folders at the end. `read` gives
 * the content with a name, and rejects when it is gone.
 */
export async function runRestore(
  { root, disk, read, progress }: RestorePorts,
  actions: readonly RestoreAction[],
): Promise<RestoreResult> {
  const [restored, deleted] = [new Set<string>(), new Set<string>()];
  const kept: KeptPath[] = [];
  const failed: FailedPath[] = [];
  const out = new Set<string>();
  const left = new Map<string, FoundContent>();
  type End = 'done' | 'stands' | KeptPath['why'];
  const attempt = async (path: string, run: () => End | Promise<End>): Promise<boolean> => {
    if (out.has(path)) return false;
    try {
      const end = await run();
      if (end === 'done') return true;
      if (end !== 'stands') kept.push({ path, why: end });
    } catch (error) {
      failed.push({ path, reason: reasonOf(error) });
    }
    out.add(path);
    return false;
  };
  const shallowFirst = actions.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const deepestFirst = shallowFirst.toReversed();
  const at = (path: string): string => `${root}/${path}`;
  const needed = new Set(actions.flatMap(({ path, to }) => (to === undefined ? [] : foldersAbove(path))));
  /** Each path is come to twice: what is in its place goes, and then it comes. */
  let steps = 0;
  const step = () => progress?.(Math.floor(steps++ / 2), actions.length);

  for (const { path, now, to } of deepestFirst) {
    await step();
    if (now === undefined) continue;
    await attempt(path, () => {
      if (!isReal(disk, dirname(at(path)))) return 'in-the-way';
      if (!inOpenFolder(disk, at(path), (folder, name) => standsAs(folder, name, now))) return 'changed-since';
      // A file or link is replaced in one go when its successor comes.
      if (now.kind === 'folder' ? to?.kind === 'folder' : to !== undefined && to.kind !== 'folder') return 'done';
      // It would have to be made again.
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
        // It was only ignored, and is what it shall be.
        const isThere = inOpenFolder(disk, at(path), (folder, name) => standsAs(folder, name, to));
        return now === undefined && isThere ? 'stands' : 'in-the-way';
      }
      if (to.kind === 'folder') {
        // Writable until everything in it is there.
        if (now?.kind === 'folder') disk.setMode(at(path), to.mode | 0o700);
        else disk.makeFolder(at(path), to.mode | 0o700);
      } else {
        // Looked at again: all others were checked and replaced since, and the user may have saved it meanwhile.
        const isAsBefore: IsExpected = (folder, name) => now !== undefined && standsAs(folder, name, now);
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
  for (const { path, to } of deepestFirst) {
    if (to?.kind === 'folder') await attempt(path, () => (disk.setMode(at(path), to.mode), 'done'));
  }
  return { restored: [...restored], deleted: [...deleted].toSorted(), kept, failed, left };
}

function foldersAbove(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

function contentOf(entry: TreeNode): FoundContent {
  if (entry.kind === 'file') return { sha256: entry.hash };
  return entry.kind === 'folder' ? 'folder' : 'something';
}

/** Whether the place still is what the plan was made for. */
function standsAs(folder: OpenFolder, name: string, entry: TreeNode): boolean {
  const sight = folder.look(name);
  if (sight === undefined || entry.kind === 'left-out' || sight.kind !== entry.kind) return false;
  if (entry.kind === 'folder') return true;
  if (entry.kind === 'link') return folder.readLink(name) === entry.target;
  return sight.mode === entry.mode && sight.size === entry.size && hashOf(folder.read(name, entry.size)) === entry.hash;
}

function look(disk: WorkspaceDisk, path: string): EntryStat | undefined {
  return inOpenFolder(disk, path, (folder, name) => folder.look(name));
}

/** No link leads out of the workspace, or elsewhere in it. */
function isReal(disk: WorkspaceDisk, folder: string): boolean {
  return disk.realPath(folder) === folder;
}

/** Folders that are missing on the way: they were removed when they were empty. */
function makeParents(disk: WorkspaceDisk, root: string, folder: string, left: Map<string, FoundContent>): boolean {
  if (isReal(disk, folder)) return look(disk, folder)?.kind === 'folder';
  if (folder === root || !makeParents(disk, root, dirname(folder), left)) return false;
  if (look(disk, folder) !== undefined) return false;
  disk.makeFolder(folder, missingFolderMode);
  left.set(folder.slice(root.length + 1), 'folder');
  return true;
}
