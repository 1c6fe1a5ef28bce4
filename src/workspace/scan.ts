import { isBareRepository, mountPointNames } from '../policy/protected-names.ts';
import type { EntrySight, WorkspaceDisk } from './disk.ts';
import { type IgnoreRules, isIgnored, mostIgnoreBytes, withIgnoreFile } from './ignore-rules.ts';
import {
  type KnownEntry,
  knownEntry,
  type KnownFolder,
  type KnownWorkspace,
  unchangedEntry,
} from './known-workspace.ts';
import type { NewContents } from './new-contents.ts';
import type { Pace } from './pace.ts';
import { encodeTree, type Hash, hashOf, type LeftOutReason, type TreeEntry } from './tree.ts';

export interface ScanInput {
  /** Without links in it. */
  readonly root: string;
  readonly disk: WorkspaceDisk;
  /** What the last snapshot saw; empty when there was none. */
  readonly known: KnownWorkspace;
  /** Those that hold in the root, its own file not yet among them. */
  readonly rules: IgnoreRules;
  /** Places that are no part of the workspace. */
  excludes(path: string): boolean;
  readonly maxFileBytes: number;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  readonly pace: Pace;
  readonly added: NewContents;
  /** Takes up what was learnt, the known value where nothing is new; it holds even when the scan does not come to its end. */
  readonly learnt: Map<string, KnownFolder>;
}

/** Comparing a name with so much of ignore files takes about as long as looking at a file. */
const charactersPerStep = 1024;

/** A file that changed so short a time ago may change again without looking different. */
const settledAfterMs = 2000;

/** Looks at a whole workspace and keeps what is new in it. Rejects with `Stopped`, or with the error of its root or of `added`. */
export async function scan(input: ScanInput) {
  const walk = new Walk(input);
  const { root, disk } = input;
  const sight = disk.look(root);
  if (sight !== undefined) walk.sights.set('', sight);
  const tree = await walk.folder(root, '', { mode: sight?.mode ?? 0, names: disk.list(root) }, input.rules);
  const { files, bytes, git, skipped, sights } = walk;
  return { tree, files, bytes, git, skipped, sights };
}

type Listed = { readonly mode: number; readonly names: readonly string[] };

class Walk {
  readonly skipped: { readonly path: string; readonly why: LeftOutReason }[] = [];
  /** How folders looked on the way, and whatever else was not recognised. By path below the root, which is ''. */
  readonly sights = new Map<string, EntrySight>();
  readonly git = { folders: [] as string[], bare: [] as string[], notEntered: [] as string[] };
  files = 0;
  bytes = 0;
  readonly #input: ScanInput;
  readonly #rulesHashes = new Map<string, Hash>();

  constructor(input: ScanInput) {
    this.#input = input;
  }

  async folder(at: string, inside: string, { mode, names }: Listed, above: IgnoreRules): Promise<Hash> {
    const { known, pace } = this.#input;
    const rules = names.includes('.gitignore') ? withIgnoreFile(above, at, this.#ignoreText(at)) : above;
    const rulesHash = this.#rulesHash(rules);
    const last = known.get(inside);
    // Under the same rules, what was decided about a name holds again.
    const decided = last?.rules === rulesHash ? last : undefined;
    const ignored = new Set<string>();
    const entries = new Map<string, KnownEntry>();
    const tree: [string, TreeEntry][] = [];
    let isSame = decided !== undefined;
    if (names.includes('.git')) this.git.folders.push(inside);
    if (isBareRepository((name) => names.includes(name))) this.git.bare.push(inside);
    const steps = 1 + rules.weight / charactersPerStep;

    for (const name of names) {
      if (pace.isDue(steps)) await pace.rest();
      const path = `${at}/${name}`;
      const sight = this.#look(name, path, inside);
      if (sight === undefined) continue;
      const below = inside === '' ? name : `${inside}/${name}`;
      // A snapshot is text, and this name is not.
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
        const entry = await this.#inner(path, below, sight, rules);
        const before = known.get(below);
        isSame &&= entry.kind === 'folder' && before?.tree === entry.tree && before.mode === entry.mode;
        tree.push([name, entry]);
        continue;
      }
      const before = last?.entries.get(name);
      const recognised = unchangedEntry(before, sight);
      if (recognised === undefined) this.sights.set(below, sight);
      const entry = recognised ?? (await this.#read(path, below, sight));
      if (entry === undefined || entry.kind === 'folder') continue;
      if (entry.kind === 'file') {
        this.files += 1;
        this.bytes += entry.size;
      }
      isSame &&= recognised !== undefined;
      const isSettled = sight.changedAt < this.#input.now - settledAfterMs;
      const isStill = recognised !== undefined && before !== undefined;
      entries.set(name, isStill ? before : knownEntry(sight, entry, isSettled));
      tree.push([name, entry]);
    }

    if (isSame && decided?.count === tree.length && decided.mode === mode) {
      this.#input.learnt.set(inside, decided);
      return decided.tree;
    }
    const encoded = encodeTree(tree);
    const hash = hashOf(encoded);
    this.#input.added.keep(hash, encoded);
    this.#input.learnt.set(inside, { mode, rules: rulesHash, ignored, entries, count: tree.length, tree: hash });
    return hash;
  }

  async #inner(path: string, below: string, sight: EntrySight, rules: IgnoreRules): Promise<TreeEntry> {
    let names: readonly string[];
    try {
      names = this.#input.disk.list(path);
    } catch {
      // A search for repositories looks there by other means, or says that it could not.
      this.git.notEntered.push(below);
      return this.#leave(below, 'unreadable', sight);
    }
    const { mode } = sight;
    return { kind: 'folder', mode, tree: await this.folder(path, below, { mode, names }, rules) };
  }

  /** Undefined for what is no part of a snapshot, and for what has gone meanwhile. */
  #look(name: string, path: string, inside: string): EntrySight | undefined {
    const { disk, excludes } = this.#input;
    if (name === '.git' || excludes(path)) return undefined;
    try {
      const sight = disk.look(path);
      if (sight?.kind === 'other') return undefined;
      // Sandboxes mount on these while commands run, and make them for that.
      const mayBeMountPoint = inside === '' && sight?.kind === 'folder' && mountPointNames.includes(name);
      return mayBeMountPoint && disk.list(path).length === 0 ? undefined : sight;
    } catch {
      const below = inside === '' ? name : `${inside}/${name}`;
      this.skipped.push({ path: below, why: 'unreadable' });
      this.git.notEntered.push(below);
      return undefined;
    }
  }

  async #read(path: string, below: string, sight: EntrySight): Promise<TreeEntry | undefined> {
    const { disk, maxFileBytes } = this.#input;
    if (sight.kind === 'file' && sight.size > maxFileBytes) return this.#leave(below, 'too-large', sight);
    if (sight.kind === 'file' && !(await this.#input.added.hasSpace(sight.size)))
      return this.#leave(below, 'no-room', sight);
    let content: Uint8Array;
    try {
      if (sight.kind === 'link') return { kind: 'link', target: disk.readLink(path) };
      content = disk.read(path, maxFileBytes);
    } catch {
      // It went away while we looked, which is as if it had never been there; or we may not read it.
      return disk.look(path) === undefined ? undefined : this.#leave(below, 'unreadable', sight);
    }
    const hash = hashOf(content);
    this.#input.added.keep(hash, content);
    return { kind: 'file', mode: sight.mode, size: content.length, hash };
  }

  #leave(path: string, why: LeftOutReason, { size, modifiedAt, changedAt, number }: EntrySight): TreeEntry {
    this.skipped.push({ path, why });
    return { kind: 'left-out', why, size, mark: `${size} ${modifiedAt} ${changedAt} ${number}` };
  }

  #ignoreText(folder: string): string {
    try {
      const path = `${folder}/.gitignore`;
      if (this.#input.excludes(path)) return '';
      return new TextDecoder().decode(this.#input.disk.read(path, mostIgnoreBytes));
    } catch {
      return '';
    }
  }

  #rulesHash({ key }: IgnoreRules): Hash {
    const hash = this.#rulesHashes.get(key) ?? hashOf(new TextEncoder().encode(key));
    this.#rulesHashes.set(key, hash);
    return hash;
  }
}
