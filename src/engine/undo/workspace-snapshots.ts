import type { UndoSettings } from '../../core/config/defaults.ts';
import { fileTime, type FileTime } from '../../adapters/exec/file-time.ts';
import { diskErrorReason } from '../../adapters/disk/file-system.ts';
import { ownPathMatcher, type OwnHomes } from '../../core/policy/paths/special-places.ts';
import type { Clock } from '../../ports/system.ts';
import {
  snapshotNotNeeded,
  type Snapshot,
  type SnapshotContents,
  type SnapshotRequest,
  type Snapshots,
  type SnapshotTaken,
  type WorkspaceContents,
  type CallTime,
  type ContentBeforeCall,
  type TouchedFiles,
  type TouchedPath,
} from '../../ports/workspace.ts';
import type { WorkspaceDisk, EntryStat } from '../workspace/workspace-disk.ts';
import {
  decodeKnownWorkspace,
  encodeKnownWorkspace,
  NewContents,
  scanWorkspace,
  knownEntryAt,
} from './scan-workspace.ts';
import type { KnownFolder, KnownWorkspace } from './scan-workspace.ts';
import { loadIgnoreRules, type HomeAndVariables } from '../workspace/ignore-rules.ts';
import { TimeSlicer, WorkStoppedError } from '../workspace/yield-to-event-loop.ts';
import { compareTrees, encodeTree, contentHash, loadTree, sameEntry } from './snapshot-tree.ts';
import type { ContentHash, SnapshotTree, TreeEntry } from './snapshot-tree.ts';
import { isLoggedProcessRunning, readCallTimes } from '../../adapters/exec/call-times.ts';
import { isWithin, parentPath } from '../../core/policy/paths/absolute-paths.ts';

export type SnapshotPlaces = HomeAndVariables & { readonly home: string; own(): OwnHomes };
type SnapshotPorts = { readonly clock: Clock; readonly disk: WorkspaceDisk; readonly contents: SnapshotContents };
/** After this many slow scans in a row that found nothing new, the workspace is not scanned again. */
const slowEnough = 2;

/** Takes snapshots of workspaces one at a time, each based on what the previous one learnt. */
export class WorkspaceSnapshots implements Snapshots {
  readonly #places: SnapshotPlaces;
  readonly #ports: SnapshotPorts;
  readonly #limits: UndoSettings;
  #last: { readonly root: string; readonly known: KnownWorkspace } | undefined;
  /** Number of slow scans in a row that found nothing new, by workspace. */
  readonly #slow = new Map<string, number>();
  readonly #moments = new WeakMap<SnapshotTaken, SnapshotMoment>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(places: SnapshotPlaces, ports: SnapshotPorts, limits: UndoSettings) {
    this.#places = places;
    this.#ports = ports;
    this.#limits = limits;
  }

  take(request: SnapshotRequest, signal: AbortSignal): Promise<Snapshot> {
    const result = this.#queue
      .then(() => this.#take(request, signal))
      // The store may be unreachable.
      .catch((error: unknown) => failed(request.root, error));
    this.#queue = result;
    return result;
  }

  async #take({ root: asked, denies, since }: SnapshotRequest, signal: AbortSignal): Promise<Snapshot> {
    const { disk, clock } = this.#ports;
    const root = disk.realPath(asked);
    if (root === undefined) return unavailable(asked, `there is no folder ${asked}`);
    const isOwn = ownPathMatcher(this.#places.own(), root);
    if (isOwn(root)) return ofEngine(root);
    if ((this.#slow.get(root) ?? 0) >= slowEnough) return tooSlow(root);
    const contents = await this.#ports.contents.of(root);
    const known = await this.#knownOf(root, contents);
    const added = this.#newContents(contents, known);
    const learnt = new Map<string, KnownFolder>();
    const at = fileTime(root);
    try {
      const { sights, ...taken } = await scanWorkspace({
        root,
        disk,
        known,
        rules: loadIgnoreRules(root, this.#places, { denies }),
        excludes: (path) => isOwn(path) || denies(path),
        maxFileBytes: this.#limits.maxFileBytes,
        now: clock.now(),
        pace: new TimeSlicer(clock, signal),
        added,
        learnt,
      });
      await this.#save(root, contents, added, { known, learnt });
      this.#slow.delete(root);
      const moment = { tree: taken.tree, at, known: learnt };
      const before = since && this.#moments.get(since.snapshot);
      const after = { ...moment, sights };
      const others = before && (await this.#others({ root, contents, before, after, touched: since.touched }));
      const snapshot: SnapshotTaken = { kind: 'taken', root, ...taken, others };
      this.#moments.set(snapshot, moment);
      return snapshot;
    } catch (error) {
      if (!(error instanceof WorkStoppedError)) {
        await added.discard();
        return failed(root, error);
      }
      if (signal.reason === snapshotNotNeeded) await added.discard();
      else await this.#saveProgress(root, contents, added, { known, learnt });
      return tooSlow(root);
    }
  }

  /** Undefined if unknown: then any change may be someone else's. */
  async #others(input: Omit<AttributionInput, 'home' | 'added'>): Promise<ContentHash | undefined> {
    const added = this.#newContents(input.contents, input.after.known);
    try {
      const others = await treeLeftByOthers({ ...input, home: this.#places.home, added });
      await added.finish();
      return others;
    } catch {
      await added.discard();
      return undefined;
    }
  }

  #newContents(contents: WorkspaceContents, known: KnownWorkspace): NewContents {
    return new NewContents(contents, known, this.#limits.maxTotalBytes);
  }

  async #knownOf(root: string, contents: WorkspaceContents): Promise<KnownWorkspace> {
    // If the note is gone, the contents that the memory refers to were removed, too.
    if (this.#last?.root === root && (await contents.hasNote())) return this.#last.known;
    return decodeKnownWorkspace(await contents.loadNote());
  }

  async #save(root: string, contents: WorkspaceContents, added: NewContents, { known, learnt }: Learnt): Promise<void> {
    await added.finish();
    const isSame = known.size === learnt.size && [...learnt].every(([path, folder]) => known.get(path) === folder);
    if (!isSame || !(await contents.hasNote())) await contents.saveNote(encodeKnownWorkspace(learnt));
    this.#last = { root, known: learnt };
  }

  /** Saves what was read, so that the next snapshot gets further. */
  async #saveProgress(root: string, contents: WorkspaceContents, added: NewContents, scan: Learnt): Promise<void> {
    if (added.isEmpty) this.#slow.set(root, (this.#slow.get(root) ?? 0) + 1);
    try {
      await this.#save(root, contents, added, { ...scan, learnt: mergeKnown(scan) });
    } catch {
      await added.discard();
    }
  }
}

type Learnt = Readonly<Record<'known' | 'learnt', KnownWorkspace>>;

/** Marks the folders above a newly seen one, so that their trees are built again. */
function mergeKnown({ known, learnt }: Learnt): KnownWorkspace {
  const merged = new Map([...known, ...learnt]);
  for (const path of learnt.keys()) {
    for (let above = path; above !== '';) {
      above = above.slice(0, Math.max(0, above.lastIndexOf('/')));
      const folder = learnt.has(above) ? undefined : known.get(above);
      if (folder !== undefined) merged.set(above, { ...folder, count: -1 });
    }
  }
  return merged;
}

const failed = (root: string, error: unknown): Snapshot => unavailable(root, `${root}: ${diskErrorReason(error)}`);

function ofEngine(root: string): Snapshot {
  const message = `Capstan takes no snapshot, so file changes of this turn cannot be undone: ${root} is Capstan's home folder or a part of it.`;
  const next = 'The turn continues. To work on files of your own, start Capstan in another folder.';
  return { kind: 'missing', root, outcome: { code: 'undo-unavailable', message, next } };
}

function unavailable(root: string, why: string): Snapshot {
  const message = `Capstan cannot take a snapshot, so file changes of this turn cannot be undone: ${why}.`;
  const next = 'The turn continues. To be able to go back, commit your work first.';
  return { kind: 'missing', root, outcome: { code: 'undo-unavailable', message, next } };
}

function tooSlow(root: string): Snapshot {
  const message = `Capstan cannot take a snapshot, so file changes of this turn cannot be undone: ${root} has too many files to read in time.`;
  const next = 'The turn continues. List files that need no snapshot in .gitignore, or set undo.enabled to false.';
  return { kind: 'missing', root, outcome: { code: 'undo-too-slow', message, next } };
}

type SnapshotMoment = { readonly tree: ContentHash; readonly at: FileTime; readonly known: KnownWorkspace };

interface AttributionInput {
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
async function treeLeftByOthers(input: AttributionInput): Promise<ContentHash> {
  const { contents, before, after } = input;
  if (before.tree === after.tree) return after.tree;
  const changes = await compareTrees(contents, before.tree, after.tree);
  const isTheirs = attributeChanges(input);
  const isOwn = (change: ChangedEntry): boolean => {
    const ignored = changes.get(change.path)?.ignored;
    // A path that is ignored only now still exists, so it keeps its old entry; one ignored before has none.
    return ignored === undefined ? isTheirs(change) : ignored === 'after';
  };
  return treeWithoutOwnChanges(input, isOwn);
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
function spansOfOthers({ home, root, touched, before: { at: since } }: AttributionInput): readonly TimeSpan[] {
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
type TimeSpan = Pick<CallTime, 'from' | 'to'>;
type ChangedEntry = { readonly path: string } & Readonly<Record<'from' | 'to', TreeEntry | undefined>>;

/** True for changes by the calls. A patch records what it left; the kernel's times judge commands. In doubt: false. */
function attributeChanges(input: AttributionInput): (change: ChangedEntry) => boolean {
  const { known: before, at: since } = input.before;
  const after = (path: string): EntryStat | undefined => sightOf(path, input.after);
  const others = spansOfOthers(input);
  const times = input.touched.flatMap((one) => (one.kind === 'time' ? [one.time] : []));
  const patched = patchesByPath(input);
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
    stays ??= marksIn(before);
    const wasHere = sight.kind !== 'folder' && stays.has(markOf(sight));
    if (sight.changedAt >= since.earliest && !wasHere) return false;
    for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1)) {
      const above = path.slice(0, cut);
      const folder = after(above);
      if (folder === undefined || before.has(above) || !covers(folder.changedAt)) continue;
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
    const known = knownEntryAt(before, path);
    if (known === undefined) return found === 'nothing' && !before.has(path);
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
      const left = patches[index - 1]?.left;
      if (left === undefined && found !== 'nothing' && foundSince < since.earliest) return true;
      const isAsBefore = left === undefined ? stood(found) : sameContent(found, left);
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
function patchesByPath({ root, touched }: AttributionInput) {
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

const sameContent = (a: ContentBeforeCall, b: ContentBeforeCall): boolean =>
  typeof a === 'object' && typeof b === 'object' ? a.sha256 === b.sha256 : a === b;

const holds =
  (time: number): ((span: TimeSpan) => boolean) =>
  ({ from, to }) =>
    from <= time && time <= to;

/** Recognises a file under another name. */
const markOf = ({ number, size, modifiedAt }: Pick<EntryStat, 'number' | 'size' | 'modifiedAt'>): string =>
  `${number} ${size} ${modifiedAt}`;

function marksIn(known: KnownWorkspace): ReadonlySet<string> {
  const entries = [...known.values()].flatMap((folder) => [...folder.entries.values()]);
  return new Set(entries.map(([size, modifiedAt, , number]) => markOf({ number, size, modifiedAt })));
}

/**
 * The workspace as others alone would have left it: the earlier tree with all changes except the calls' own. A folder
 * of the calls in which others put something stays. `isOwn`: whether the calls made a change. New trees go to `added`.
 */
async function treeWithoutOwnChanges(input: AttributionInput, isOwn: (change: ChangedEntry) => boolean) {
  const { before, after, contents, added } = input;
  const readTree = (hash: ContentHash): Promise<SnapshotTree> => loadTree(contents, hash);
  const kept = async (tree: SnapshotTree): Promise<ContentHash> => {
    const bytes = encodeTree(tree);
    const hash = contentHash(bytes);
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
  return mergeTrees('', before.tree, after.tree);
}
