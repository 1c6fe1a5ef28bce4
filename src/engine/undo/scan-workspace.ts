import { valueOr } from '../../base/objects.ts';
import { isBareRepository, mountPointNames } from '../../core/policy/paths/special-places.ts';
import type { ContentsDraft, WorkspaceContents } from '../../ports/workspace.ts';
import { type IgnoreRules, isIgnored, withOwnIgnoreFile } from '../workspace/ignore-rules.ts';
import { isEmpty, listFolder, joinFolderPath } from '../workspace/workspace-disk.ts';
import type { EntryStat, ListedFolder, OpenFolder, WorkspaceDisk } from '../workspace/workspace-disk.ts';
import type { TimeSlicer } from '../workspace/yield-to-event-loop.ts';
import { encodeTree, contentHash } from './snapshot-tree.ts';
import type { FolderEntry, ContentHash, LeftOutReason, TreeEntry } from './snapshot-tree.ts';

export interface ScanInput {
  readonly root: string;
  readonly disk: WorkspaceDisk;
  /** Seen by the last snapshot; empty if there was none. */
  readonly known: KnownWorkspace;
  /** The rules in force in the root, without its own file. */
  readonly rules: IgnoreRules;
  excludes(path: string): boolean;
  readonly maxFileBytes: number;
  readonly now: number;
  readonly pace: TimeSlicer;
  readonly added: NewContents;
  /** Filled with the findings, or the known values where nothing is new. Valid even if the scan does not finish. */
  readonly learnt: Map<string, KnownFolder>;
}

/** Matching a name against this much of ignore files takes about as long as looking at a file. */
const charactersPerStep = 1024;
/** A file that changed so recently may change again without a visible difference. */
const settledAfterMs = 2000;

/** Stores what is new in a workspace. Rejects with `Stopped`, or with the error of its root or of `added`. */
export async function scanWorkspace(input: ScanInput) {
  const walk = new Walk(input);
  const { root, disk } = input;
  const open = listFolder(disk.open(root));
  const sight = open.folder.look('.');
  if (sight !== undefined) walk.sights.set('', sight);
  const tree = await walk.folder(open, { at: root, inside: '', mode: sight?.mode ?? 0, depth: 0 }, input.rules);
  const { files, bytes, git, skipped, sights } = walk;
  return { tree, files, bytes, git, skipped, sights };
}

type Place = Readonly<Record<'at' | 'inside', string> & Record<'mode' | 'depth', number>>;
/** Only folders this near to the root stay open during the walk: a tree may be deeper than there are descriptors. */
const mostOpen = 32;
type InnerFolder = Readonly<Record<'name' | 'path' | 'below', string>> & { readonly sight: EntryStat };

interface SeenEntries extends Pick<KnownFolder, 'ignored' | 'entries'> {
  readonly rulesHash: ContentHash;
  readonly decided: KnownFolder | undefined;
  readonly isSame: boolean;
}

class Walk {
  readonly skipped: { readonly path: string; readonly why: LeftOutReason }[] = [];
  /** Stats of the visited folders and of all unrecognised entries, by path below the root (root: ''). */
  readonly sights = new Map<string, EntryStat>();
  readonly git = { folders: [] as string[], bare: [] as string[], notEntered: [] as string[] };
  files = 0;
  bytes = 0;
  readonly #input: ScanInput;
  readonly #rulesHashes = new Map<string, ContentHash>();

  constructor(input: ScanInput) {
    this.#input = input;
  }

  /** Adds the folder's tree, returns its hash, and closes the folder. */
  async folder({ folder, names }: ListedFolder, place: Place, above: IgnoreRules): Promise<ContentHash> {
    const { at, inside, mode, depth } = place;
    const { known } = this.#input;
    const tree: [string, TreeEntry][] = [];
    const inner: InnerFolder[] = [];
    let isSame: boolean;
    let seen: SeenEntries;
    try {
      const rules = withOwnIgnoreFile(above, at, { folder, names }, this.#input);
      seen = await this.#entries({ folder, names }, place, rules, { tree, inner });
      isSame = seen.isSame;
      if (depth >= mostOpen) folder.close();
      for (const { name, path, below, sight } of inner) {
        const open = (): OpenFolder => (depth < mostOpen ? folder.enter(name) : this.#input.disk.open(path));
        const innerPlace = { at: path, inside: below, mode: sight.mode, depth: depth + 1 };
        const entry = await this.#inner(open, innerPlace, sight, rules);
        const before = known.get(below);
        isSame &&= entry.kind === 'folder' && before?.tree === entry.tree && before.mode === entry.mode;
        tree.push([name, entry]);
      }
    } finally {
      folder.close();
    }
    const { rulesHash, decided, ignored, entries } = seen;
    if (isSame && decided?.count === tree.length && decided.mode === mode) {
      this.#input.learnt.set(inside, decided);
      return decided.tree;
    }
    const encoded = encodeTree(tree);
    const hash = contentHash(encoded);
    this.#input.added.keep(hash, encoded);
    this.#input.learnt.set(inside, { mode, rules: rulesHash, ignored, entries, count: tree.length, tree: hash });
    return hash;
  }

  /** Adds the folder's entries and its inner folders in the workspace to `found`. */
  async #entries(
    { folder, names }: ListedFolder,
    { at, inside }: Place,
    rules: IgnoreRules,
    found: { readonly tree: [string, TreeEntry][]; readonly inner: InnerFolder[] },
  ): Promise<SeenEntries> {
    const { known, pace, excludes } = this.#input;
    const rulesHash = this.#rulesHash(rules);
    const last = known.get(inside);
    // Decisions about names remain valid under the same rules.
    const decided = last?.rules === rulesHash ? last : undefined;
    const ignored = new Set<string>();
    const entries = new Map<string, KnownEntry>();
    let isSame = decided !== undefined;
    if (names.includes('.git')) this.git.folders.push(inside);
    if (isBareRepository((name) => names.includes(name))) this.git.bare.push(inside);
    const steps = 1 + rules.weight / charactersPerStep;

    for (const name of names) {
      if (pace.isDue(steps)) await pace.rest();
      const path = joinFolderPath(at, name);
      if (name === '.git' || excludes(path)) continue;
      const before = last?.entries.get(name);
      const glance = before && folder.glance(name);
      // A glance may see something elsewhere. A recognised entry is not read, so no content from there gets in.
      const recognised = glance && unchangedEntry(before, glance);
      const sight = recognised === undefined ? this.#look(folder, name, inside) : glance;
      if (sight === undefined) continue;
      const below = inside === '' ? name : `${inside}/${name}`;
      // A snapshot is text, which cannot hold this name.
      if (!name.isWellFormed()) {
        this.skipped.push({ path: below.toWellFormed(), why: 'unreadable' });
        if (sight.kind === 'folder') this.git.notEntered.push(below);
        continue;
      }
      const tag = sight.kind === 'folder' ? `${name}/` : name;
      const isKnown = sight.kind === 'folder' ? known.has(below) : decided?.entries.has(name);
      const isDecided = decided !== undefined && (isKnown === true || decided.ignored.has(tag));
      const kind = sight.kind === 'folder' ? 'folder' : 'other';
      if (isDecided ? decided.ignored.has(tag) : isIgnored(rules, path, kind)) {
        ignored.add(tag);
        if (kind === 'folder') this.git.notEntered.push(below);
        continue;
      }
      if (kind === 'folder') {
        this.sights.set(below, sight);
        found.inner.push({ name, path, below, sight });
        continue;
      }
      if (recognised === undefined) this.sights.set(below, sight);
      const entry = recognised ?? (await this.#read(folder, name, below, sight));
      if (entry === undefined || entry.kind === 'folder') continue;
      if (entry.kind === 'file') {
        this.files += 1;
        this.bytes += entry.size;
      }
      isSame &&= recognised !== undefined;
      const isSettled = sight.changedAt < this.#input.now - settledAfterMs;
      const isStill = recognised !== undefined && before !== undefined;
      entries.set(name, isStill ? before : knownEntry(sight, entry, isSettled));
      found.tree.push([name, entry]);
    }
    return { rulesHash, decided, ignored, entries, isSame };
  }

  async #inner(open: () => OpenFolder, place: Place, sight: EntryStat, rules: IgnoreRules): Promise<TreeEntry> {
    let found: ListedFolder;
    try {
      found = listFolder(open(), sight.size);
    } catch {
      // It may have been replaced. The search for repositories looks at it again, or reports that it could not.
      this.git.notEntered.push(place.inside);
      return this.#leave(place.inside, 'unreadable', sight);
    }
    return { kind: 'folder', mode: sight.mode, tree: await this.folder(found, place, rules) };
  }

  /** Undefined if the entry is gone, is unreadable, or does not belong in a snapshot. */
  #look(folder: OpenFolder, name: string, inside: string): EntryStat | undefined {
    try {
      const sight = folder.look(name);
      if (sight?.kind === 'other') return undefined;
      // Sandboxes create these as mount points while commands run.
      const mayBeMountPoint = inside === '' && sight?.kind === 'folder' && mountPointNames.includes(name);
      return mayBeMountPoint && isEmpty(folder.enter(name)) ? undefined : sight;
    } catch {
      const below = inside === '' ? name : `${inside}/${name}`;
      this.skipped.push({ path: below, why: 'unreadable' });
      this.git.notEntered.push(below);
      return undefined;
    }
  }

  async #read(folder: OpenFolder, name: string, below: string, sight: EntryStat): Promise<TreeEntry | undefined> {
    const { maxFileBytes } = this.#input;
    if (sight.kind === 'file' && sight.size > maxFileBytes) return this.#leave(below, 'too-large', sight);
    if (sight.kind === 'file' && !(await this.#input.added.hasSpace(sight.size)))
      return this.#leave(below, 'no-room', sight);
    let content: Uint8Array;
    try {
      if (sight.kind === 'link') return { kind: 'link', target: folder.readLink(name) };
      content = folder.read(name, maxFileBytes);
    } catch {
      // If it disappeared meanwhile, treat it as if it never existed; otherwise it is unreadable.
      return isGone(folder, name) ? undefined : this.#leave(below, 'unreadable', sight);
    }
    const hash = contentHash(content);
    this.#input.added.keep(hash, content);
    return { kind: 'file', mode: sight.mode, size: content.length, hash };
  }

  #leave(path: string, why: LeftOutReason, { size, modifiedAt, changedAt, number }: EntryStat): TreeEntry {
    this.skipped.push({ path, why });
    return { kind: 'left-out', why, size, mark: `${size} ${modifiedAt} ${changedAt} ${number}` };
  }

  #rulesHash({ key }: IgnoreRules): ContentHash {
    const hash = this.#rulesHashes.get(key) ?? contentHash(new TextEncoder().encode(key));
    this.#rulesHashes.set(key, hash);
    return hash;
  }
}

function isGone(folder: OpenFolder, name: string): boolean {
  return valueOr(false, () => folder.look(name) === undefined);
}

/** Findings of the last snapshot, so that the next one reads less. By path below the root (root: ''). */
export type KnownWorkspace = ReadonlyMap<string, KnownFolder>;

export interface KnownFolder {
  readonly mode: number;
  /** Hash of the ignore rules that were in force. */
  readonly rules: ContentHash;
  /** Names that the rules left out; those of folders end with a slash. */
  readonly ignored: ReadonlySet<string>;
  readonly entries: ReadonlyMap<string, KnownEntry>;
  readonly count: number;
  readonly tree: ContentHash;
}

/** The stat by which a file is recognised, and its content. Folders have their own record. */
type KnownEntry = readonly [
  size: number,
  modifiedAt: number,
  changedAt: number,
  number: number,
  mode: number,
  kind: 'file' | 'link' | LeftOutReason,
  content: string,
];

const form = 1;

export const encodeKnownWorkspace = (known: KnownWorkspace): string =>
  JSON.stringify({ form, folders: [...known].map(([path, folder]) => [path, stored(folder)]) });

const stored = (folder: KnownFolder) => ({ ...folder, ignored: [...folder.ignored], entries: [...folder.entries] });

/** Empty if there is no note, or it is damaged or has another form: then the scan reads everything anew. */
export function decodeKnownWorkspace(text = ''): KnownWorkspace {
  try {
    const value = JSON.parse(text) as { form: unknown; folders: [string, ReturnType<typeof stored>][] };
    if (value.form !== form) return new Map();
    return new Map(
      value.folders.map(([path, folder]) => [
        path,
        { ...folder, ignored: new Set(folder.ignored), entries: new Map(folder.entries) },
      ]),
    );
  } catch {
    return new Map();
  }
}

function knownEntry(sight: EntryStat, entry: Exclude<TreeEntry, FolderEntry>, sure: boolean): KnownEntry {
  const { size, modifiedAt, changedAt, number, mode } = sight;
  const stat = [size, modifiedAt, sure ? changedAt : -1, number, mode] as const;
  if (entry.kind === 'file') return [...stat, 'file', entry.hash];
  return entry.kind === 'link' ? [...stat, 'link', entry.target] : [...stat, entry.why, entry.mark];
}

/** The known entry, if this is the same thing and cannot have changed since. */
function unchangedEntry(known: KnownEntry | undefined, sight: EntryStat): TreeEntry | undefined {
  if (known === undefined) return undefined;
  const [size, modifiedAt, changedAt, number, mode, kind, content] = known;
  // Limits and permissions change, so left-out entries are tried again.
  const isSameTime = sight.changedAt === changedAt && sight.modifiedAt === modifiedAt;
  const isSameFile = sight.number === number && sight.size === size && sight.mode === mode;
  if (sight.kind !== kind || !isSameTime || !isSameFile) return undefined;
  return kind === 'file' ? { kind, mode, size, hash: content } : { kind: 'link', target: content };
}

export function knownEntryAt(known: KnownWorkspace, path: string): KnownEntry | undefined {
  const cut = path.lastIndexOf('/');
  return known.get(path.slice(0, Math.max(0, cut)))?.entries.get(path.slice(cut + 1));
}

export function knownContents(known: KnownWorkspace): Set<ContentHash> {
  const contents = new Set<ContentHash>();
  for (const { entries, tree } of known.values()) {
    contents.add(tree);
    for (const [, , , , , kind, content] of entries.values()) if (kind === 'file') contents.add(content);
  }
  return contents;
}

/** The new contents of one snapshot. Creates nothing in the store before the first content. */
export class NewContents {
  readonly #contents: WorkspaceContents;
  readonly #known: KnownWorkspace;
  readonly #maxBytes: number;
  #kept: Set<ContentHash> | undefined;
  #draft: ContentsDraft | undefined;
  #bytes = 0;
  #space: number | undefined;

  /** `known` contents are stored already. `maxBytes` is for all contents of the workspace. */
  constructor(contents: WorkspaceContents, known: KnownWorkspace, maxBytes: number) {
    this.#contents = contents;
    this.#known = known;
    this.#maxBytes = maxBytes;
  }

  get isEmpty(): boolean {
    return this.#draft === undefined;
  }

  async hasSpace(bytes: number): Promise<boolean> {
    this.#space ??= Math.min(this.#maxBytes / 2, this.#maxBytes - (await this.#contents.bytes()));
    return this.#bytes + bytes <= this.#space;
  }

  keep(hash: ContentHash, bytes: Uint8Array): void {
    this.#kept ??= knownContents(this.#known);
    if (this.#kept.has(hash)) return;
    this.#draft ??= this.#contents.begin();
    this.#draft.add(hash, bytes);
    this.#bytes += bytes.length;
    this.#kept.add(hash);
  }

  /** Rejects if the store refuses. */
  async finish(): Promise<void> {
    await this.#draft?.finish();
  }
  async discard(): Promise<void> {
    await this.#draft?.discard();
  }
}
