import { type IgnoreRules, isIgnored, noRules, withIgnoreFile } from './ignore-rules.ts';
import { type Entry, type FolderEntry, type Hash, sameEntry, type Tree, type TreeEntry } from './tree.ts';

/** What became of one path. Absent on one side: it was added, or deleted. */
export interface Change {
  readonly from?: Entry;
  readonly to?: Entry;
  /** On this side it is absent because the ignore rules of that moment leave it out: nobody knows what stood there. */
  readonly ignored?: 'before' | 'after';
}

/** By path below the workspace's root, in order: a folder before what is in it. */
export type Changes = ReadonlyMap<string, Change>;

/** Where the contents of the trees are. */
export interface TreeSource {
  read(hash: Hash): Uint8Array;
  readTree(hash: Hash): Tree;
}

/** What a folder was at one of the two moments. */
interface Side {
  readonly tree: Tree;
  /** Its own ignore file not yet among them; `all`: everything in it is left out. */
  readonly rules: IgnoreRules | 'all';
}

/** What differs between two trees. Folders that are the same are not opened. */
export function compareTrees(source: TreeSource, from: Hash, to: Hash): Changes {
  const changes = new Map<string, Change>();
  const compare = (folder: string, before: Side, after: Side): void => {
    const [old, now] = [new Map(before.tree), new Map(after.tree)];
    const [oldRules, newRules] = [rulesIn(source, folder, before), rulesIn(source, folder, after)];
    for (const name of [...new Set([...old.keys(), ...now.keys()])].toSorted()) {
      const [a, b] = [old.get(name), now.get(name)];
      const path = `${folder}/${name}`;
      const kind = (a ?? b)?.kind === 'folder' ? 'folder' : 'other';
      const wasIgnored = a === undefined && leavesOut(oldRules, path, kind);
      const isIgnoredNow = b === undefined && leavesOut(newRules, path, kind);
      if (!sameEntry(a, b)) {
        const ignored = wasIgnored ? ({ ignored: 'before' } as const) : isIgnoredNow && ({ ignored: 'after' } as const);
        changes.set(path.slice(1), { ...(a && { from: plain(a) }), ...(b && { to: plain(b) }), ...ignored });
      }
      const [treeA, treeB] = [folderTree(a), folderTree(b)];
      // What is in a folder that could not be read is not new when it can.
      if (treeA === treeB || a?.kind === 'left-out' || b?.kind === 'left-out') continue;
      const inner = (tree: Hash | undefined, rules: Side['rules'], out: boolean): Side => ({
        tree: tree === undefined ? [] : source.readTree(tree),
        rules: out ? 'all' : rules,
      });
      compare(path, inner(treeA, oldRules, wasIgnored), inner(treeB, newRules, isIgnoredNow));
    }
  };
  const side = (hash: Hash): Side => ({ tree: source.readTree(hash), rules: noRules });
  if (from !== to) compare('', side(from), side(to));
  return changes;
}

function rulesIn(source: TreeSource, folder: string, { tree, rules }: Side): Side['rules'] {
  const file = tree.find(([name]) => name === '.gitignore')?.[1];
  if (rules === 'all' || file?.kind !== 'file') return rules;
  return withIgnoreFile(rules, folder === '' ? '/' : folder, new TextDecoder().decode(source.read(file.hash)));
}

function leavesOut(rules: Side['rules'], path: string, kind: 'folder' | 'other'): boolean {
  return rules === 'all' || isIgnored(rules, path, kind);
}

function folderTree(entry: TreeEntry | undefined): Hash | undefined {
  return entry?.kind === 'folder' ? entry.tree : undefined;
}

function plain(entry: TreeEntry): Entry {
  if (entry.kind !== 'folder') return entry;
  const { tree: _tree, ...folder }: FolderEntry = entry;
  return folder;
}
