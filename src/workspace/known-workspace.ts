import type { EntrySight } from './disk.ts';
import type { FolderEntry, Hash, LeftOutReason, TreeEntry } from './tree.ts';

/** What the last snapshot saw, so that the next one reads only what may have changed. By path below the root, itself ''. */
export type KnownWorkspace = ReadonlyMap<string, KnownFolder>;

export interface KnownFolder {
  readonly mode: number;
  /** Of the ignore rules that were in force, hashed. */
  readonly rules: Hash;
  /** Names that the rules left out; those of folders end with a slash. */
  readonly ignored: ReadonlySet<string>;
  /** What is there besides folders. */
  readonly entries: ReadonlyMap<string, KnownEntry>;
  /** How many things stand in its tree. */
  readonly count: number;
  readonly tree: Hash;
}

/** A file's stat, by which it is recognised, and what it held. Folders are known by their own record. */
export type KnownEntry = readonly [
  size: number,
  modifiedAt: number,
  changedAt: number,
  number: number,
  mode: number,
  kind: 'file' | 'link' | LeftOutReason,
  content: string,
];

const form = 1;

export function encodeKnown(known: KnownWorkspace): string {
  return JSON.stringify({ form, folders: [...known].map(([path, folder]) => [path, stored(folder)]) });
}

function stored(folder: KnownFolder) {
  return { ...folder, ignored: [...folder.ignored], entries: [...folder.entries] };
}

/** Empty when there is none, or it is of another form or no longer whole: then everything is looked at anew. */
export function decodeKnown(text = ''): KnownWorkspace {
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

export function knownEntry(sight: EntrySight, entry: Exclude<TreeEntry, FolderEntry>, sure: boolean): KnownEntry {
  const { size, modifiedAt, changedAt, number, mode } = sight;
  const stat = [size, modifiedAt, sure ? changedAt : -1, number, mode] as const;
  if (entry.kind === 'file') return [...stat, 'file', entry.hash];
  return entry.kind === 'link' ? [...stat, 'link', entry.target] : [...stat, entry.why, entry.mark];
}

/** What is known of a thing that looks like this, if it is the same thing and cannot have changed since. */
export function unchangedEntry(known: KnownEntry | undefined, sight: EntrySight): TreeEntry | undefined {
  if (known === undefined) return undefined;
  const [size, modifiedAt, changedAt, number, mode, kind, content] = known;
  // Limits change, and so do rights: what was left out is tried again.
  const same =
    sight.kind === kind &&
    sight.changedAt === changedAt &&
    sight.size === size &&
    sight.modifiedAt === modifiedAt &&
    sight.number === number &&
    sight.mode === mode;
  if (!same) return undefined;
  return kind === 'file' ? { kind, mode, size, hash: content } : { kind: 'link', target: content };
}

/** What is known of what stands at a path and is no folder. */
export function knownAt(known: KnownWorkspace, path: string): KnownEntry | undefined {
  const cut = path.lastIndexOf('/');
  return known.get(path.slice(0, Math.max(0, cut)))?.entries.get(path.slice(cut + 1));
}

/** The contents that the last snapshot refers to. */
export function knownContents(known: KnownWorkspace): Set<Hash> {
  const contents = new Set<Hash>();
  for (const { entries, tree } of known.values()) {
    contents.add(tree);
    for (const [, , , , , kind, content] of entries.values()) if (kind === 'file') contents.add(content);
  }
  return contents;
}
