import { isLoggedProcessRunning, readCallTimes } from '../../adapters/exec/call-times.ts';
import type { FileTime } from '../../adapters/exec/file-time.ts';
import { isWithin, parentPath } from '../../core/policy/paths/absolute-paths.ts';
import type {
  CallTime,
  ContentBeforeCall,
  TouchedFiles,
  TouchedPath,
  WorkspaceContents,
} from '../../ports/workspace.ts';
import type { EntryStat } from '../workspace/workspace-disk.ts';
import { knownEntryAt, type KnownWorkspace, type NewContents } from './scan-workspace.ts';
import { compareTrees, encodeTree, hashOf, loadTree, sameEntry } from './snapshot-tree.ts';
import type { ContentHash, SnapshotTree, TreeEntry } from './snapshot-tree.ts';

export type SnapshotMoment = { readonly tree: ContentHash; readonly at: FileTime; readonly known: KnownWorkspace };

export interface AttributionInput {
  readonly home: string;
  /** Without links in it. */
  readonly root: string;
  readonly contents: WorkspaceContents;
  readonly before: SnapshotMoment;
  /** Includes the stats of its folders and of everything else that was not recognised. */
  readonly after: SnapshotMoment & { readonly sights: ReadonlyMap<string, EntryStat> };
  /** The effects of the calls in question, in the order in which they ended. */
  readonly touched: readonly TouchedFiles[];
  /** Takes trees that neither snapshot has. */
  readonly added: NewContents;
}

/** The tree that others alone would have left between two snapshots. Rejects if a content is gone. */
export async function treeLeftByOthers(input: AttributionInput): Promise<ContentHash> {
  const { home, root, contents, before, after, touched, added } = input;
  if (before.tree === after.tree) return after.tree;
  const changes = await compareTrees(contents, before.tree, after.tree);
  const isTheirs = attributeChanges({
    root,
    since: before.at,
    touched,
    others: spansOfOthers(home, root, touched, before.at),
    before: before.known,
    after: (path) => sightOf(path, after),
  });
  const isOwn = (change: ChangedEntry): boolean => {
    const ignored = changes.get(change.path)?.ignored;
    // A path that is ignored only now still exists, so it keeps its old entry; one ignored before has none.
    return ignored === undefined ? isTheirs(change) : ignored === 'after';
  };
  return treeWithoutOwnChanges(before.tree, after.tree, isOwn, { contents, added });
}

/** The stat of a path in the later snapshot. Entries that the walk recognised are in `known`, with all their times. */
function sightOf(path: string, { sights, known }: AttributionInput['after']): EntryStat | undefined {
  const seen = sights.get(path);
  if (seen !== undefined) return seen;
  const entry = knownEntryAt(known, path);
  if (entry === undefined) return undefined;
  const [size, modifiedAt, changedAt, number, mode, kind] = entry;
  return { kind: kind === 'link' ? 'link' : 'file', size, modifiedAt, changedAt, number, mode };
}

/** Recorded calls of other threads in this folder, or above or below it. */
function spansOfOthers(home: string, root: string, touched: readonly TouchedFiles[], since: FileTime) {
  const ours = new Set(touched.map((one) => (one.kind === 'time' ? one.time.id : one.timeId)));
  return (
    readCallTimes(home)
      .filter((call) => !ours.has(call.id) && (isWithin(call.root, root) || isWithin(root, call.root)))
      // A call whose program died before the turn began cannot have changed anything in it.
      .filter((call) => call.to !== undefined || call.from >= since.earliest || isLoggedProcessRunning(call))
      .map(({ from, to = Infinity }) => ({ from, to }))
  );
}

type Found = Pick<TouchedPath, 'found' | 'foundSince'> & { readonly folder: string };

export interface ChangeEvidence extends Pick<AttributionInput, 'root' | 'touched'> {
  readonly since: FileTime;
  /** When calls of other threads may have changed the same files. */
  readonly others: readonly TimeSpan[];
  readonly before: KnownWorkspace;
  /** The stat of a path in the later snapshot; undefined if it was absent. */
  after(path: string): EntryStat | undefined;
}

type TimeSpan = Pick<CallTime, 'from' | 'to'>;
type ChangedEntry = { readonly path: string } & Readonly<Record<'from' | 'to', TreeEntry | undefined>>;

/** True for changes by the calls. A patch records what it left; the kernel's times judge commands. In doubt: false. */
function attributeChanges(evidence: ChangeEvidence): (change: ChangedEntry) => boolean {
  const { after, since, others } = evidence;
  const times = evidence.touched.flatMap((one) => (one.kind === 'time' ? [one.time] : []));
  const patched = patchesByPath(evidence);
  let stays: ReadonlySet<string> | undefined;
  const covers = (time: number): boolean => times.some(holds(time)) && !others.some(holds(time));
  const isAlone = (call: CallTime): boolean => !others.some(({ from, to }) => from <= call.to && call.from <= to);

  /** Uses the names that vanished from the root during each call, if all calls recorded them. */
  const isGoneByCall = (name: string): boolean | undefined =>
    times.every(({ gone }) => gone !== undefined)
      ? times.some((call) => call.gone?.includes(name) === true && isAlone(call))
      : undefined;

  const isOwnDeletion = (path: string): boolean => {
    const cut = path.lastIndexOf('/');
    // Sandboxes make and remove mount points in the root, so its times prove nothing about other entries.
    const gone = cut < 0 ? isGoneByCall(path) : undefined;
    if (gone !== undefined) return gone;
    const folder = after(path.slice(0, Math.max(0, cut)));
    if (folder === undefined) return cut < 0 ? false : isOwnDeletion(path.slice(0, cut));
    if (folder.kind !== 'folder') return covers(folder.changedAt);
    // Unpacking programs set a folder's own time back.
    return covers(folder.modifiedAt < since.earliest ? folder.changedAt : folder.modifiedAt);
  };

  /** Moving a folder moves its contents, but only renews the folder's own stamp. */
  const isMovedAlong = (path: string, sight: EntryStat): boolean => {
    stays ??= marksIn(evidence.before);
    const wasHere = sight.kind !== 'folder' && stays.has(markOf(sight));
    if (sight.changedAt >= since.earliest && !wasHere) return false;
    for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1)) {
      const above = path.slice(0, cut);
      const folder = after(above);
      if (folder === undefined || evidence.before.has(above) || !covers(folder.changedAt)) continue;
      // If the folder was changed after the move, others may have put something in it before.
      if (sight.kind === 'folder' || folder.modifiedAt < since.earliest || wasHere) return true;
    }
    return false;
  };

  const isFoundFromCommand = (path: string, { found, foundSince, folder }: Found): boolean => {
    const gone = found === 'nothing' && folder === '' ? isGoneByCall(path.replace(/\/.*/s, '')) : undefined;
    return gone ?? (foundSince !== undefined && covers(foundSince));
  };

  /** True if the path had this content in the earlier snapshot. False for left-out content: only its time is known. */
  const stoodBefore = (path: string, found: ContentBeforeCall): boolean => {
    const known = knownEntryAt(evidence.before, path);
    if (known === undefined) return found === 'nothing' && !evidence.before.has(path);
    const [, , , , , kind, content] = known;
    return kind === 'file' && typeof found === 'object' && found.sha256 === content;
  };

  /** True if no one else changed it between the patches: each found the earlier state, or what a call left. */
  const isUnbroken = (
    path: string,
    stood: (found: ContentBeforeCall) => boolean,
    seen: readonly string[] = [],
  ): boolean => {
    const patches = patched.get(path) ?? [];
    return patches.every((patch, index) => {
      const { found, foundSince = Infinity, source } = patch;
      if (found === undefined) return true;
      // Others may have changed moved content at its source.
      const isFirstLook = source !== undefined && !seen.includes(source);
      if (isFirstLook && !isUnbroken(source, (there) => stoodBefore(source, there), [...seen, path])) return false;
      const before = patches[index - 1]?.left;
      if (before === undefined && found !== 'nothing' && foundSince < since.earliest) return true;
      const isAsBefore = before === undefined ? stood(found) : sameContent(found, before);
      // For unread content, only the time shows whether it changed.
      return (isAsBefore && found !== 'something') || isFoundFromCommand(path, patch);
    });
  };

  return ({ path, from, to }) => {
    const last = patched.get(path)?.at(-1);
    // A patch that found another's change is proof, even if a command came after it.
    if (!isUnbroken(path, (found) => isContent(found, from))) return false;
    if (last !== undefined && isContent(last.left, to)) return true;
    if (to === undefined) return isOwnDeletion(path);
    const sight = after(path);
    if (sight === undefined) return false;
    return covers(sight.changedAt) || (from === undefined && isMovedAlong(path, sight));
  };
}

/** Below the root. `folder`: the lowest that existed before the patch; `source`: the content's place before a move. */
function patchesByPath({ root, touched }: ChangeEvidence) {
  const inRoot = (path = ''): string | undefined =>
    path.startsWith(`${root}/`) ? path.slice(root.length + 1) : undefined;
  const patches = touched.flatMap((one) => {
    if (one.kind === 'time') return [];
    const made = new Set(one.paths.flatMap(({ path, left }) => (left === 'folder' ? [path] : [])));
    return one.paths.flatMap(({ movedFrom, ...patch }) => {
      const path = inRoot(patch.path);
      if (path === undefined) return [];
      let folder = parentPath(patch.path);
      while (made.has(folder) && folder.length > root.length) folder = parentPath(folder);
      return [{ ...patch, path, source: inRoot(movedFrom), folder: folder.slice(root.length + 1) }];
    });
  });
  return Map.groupBy(patches, ({ path }) => path);
}

function isContent(content: ContentBeforeCall, entry: TreeEntry | undefined): boolean {
  if (content === 'nothing' || entry === undefined) return content === 'nothing' && entry === undefined;
  if (content === 'something') return true;
  if (content === 'folder') return entry.kind === 'folder';
  // Content that snapshots leave out cannot be compared. It is enough that the patch touched it.
  return entry.kind === 'left-out' || (entry.kind === 'file' && entry.hash === content.sha256);
}

function sameContent(a: ContentBeforeCall, b: ContentBeforeCall): boolean {
  return typeof a === 'object' && typeof b === 'object' ? a.sha256 === b.sha256 : a === b;
}

const holds =
  (time: number): ((span: TimeSpan) => boolean) =>
  ({ from, to }) =>
    from <= time && time <= to;

/** Recognises a file under another name. */
function markOf({ number, size, modifiedAt }: Pick<EntryStat, 'number' | 'size' | 'modifiedAt'>): string {
  return `${number} ${size} ${modifiedAt}`;
}

function marksIn(known: KnownWorkspace): ReadonlySet<string> {
  const entries = [...known.values()].flatMap((folder) => [...folder.entries.values()]);
  return new Set(entries.map(([size, modifiedAt, , number]) => markOf({ number, size, modifiedAt })));
}

/**
 * The workspace as others alone would have left it: the earlier tree with all changes except the calls' own. A folder
 * of the calls in which others put something stays. `isOwn`: whether the calls made a change. New trees go to `added`.
 */
async function treeWithoutOwnChanges(
  before: ContentHash,
  after: ContentHash,
  isOwn: (change: ChangedEntry) => boolean,
  { contents, added }: { readonly contents: WorkspaceContents; readonly added: NewContents },
): Promise<ContentHash> {
  const readTree = (hash: ContentHash): Promise<SnapshotTree> => loadTree(contents, hash);
  const kept = async (tree: SnapshotTree): Promise<ContentHash> => {
    const bytes = encodeTree(tree);
    const hash = hashOf(bytes);
    if (!(await contents.has(hash))) added.keep(hash, bytes);
    return hash;
  };
  const merge = async (inside: string, old: SnapshotTree, now: SnapshotTree): Promise<SnapshotTree> => {
    const [was, is] = [new Map(old), new Map(now)];
    const merged: [string, TreeEntry][] = [];
    for (const name of new Set([...was.keys(), ...is.keys()])) {
      const path = inside === '' ? name : `${inside}/${name}`;
      const entry = await choose({ path, from: was.get(name), to: is.get(name) });
      if (entry !== undefined) merged.push([name, entry]);
    }
    return merged;
  };
  const choose = async (change: ChangedEntry): Promise<TreeEntry | undefined> => {
    const { path, from, to } = change;
    if (from?.kind === 'folder' && to?.kind === 'folder') {
      const tree = from.tree === to.tree ? to.tree : await mergeTrees(path, from.tree, to.tree);
      return { kind: 'folder', mode: from.mode !== to.mode && isOwn(change) ? from.mode : to.mode, tree };
    }
    if (from?.kind !== 'folder' && to?.kind !== 'folder' && sameEntry(from, to)) return to;
    const own = isOwn(change);
    if (to?.kind === 'folder') {
      const inner = await merge(path, [], await readTree(to.tree));
      return inner.length === 0 && own ? from : { ...to, tree: await kept(inner) };
    }
    if (from?.kind === 'folder' && to === undefined) {
      const inner = await merge(path, await readTree(from.tree), []);
      return inner.length === 0 && !own ? undefined : { ...from, tree: await kept(inner) };
    }
    return own ? from : to;
  };
  const mergeTrees = async (path: string, old: ContentHash, now: ContentHash): Promise<ContentHash> =>
    kept(await merge(path, await readTree(old), await readTree(now)));
  return mergeTrees('', before, after);
}
