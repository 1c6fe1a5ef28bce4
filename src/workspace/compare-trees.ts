import { type Entry, type FolderEntry, type Hash, sameEntry, type Tree, type TreeEntry } from './tree.ts';

/** What became of one path. Absent on one side: it was added, or deleted. */
export interface Change {
  readonly from?: Entry;
  readonly to?: Entry;
}

/** By path below the workspace's root, in order: a folder before what is in it. */
export type Changes = ReadonlyMap<string, Change>;

/** What differs between two trees. Folders that are the same are not opened. */
export function compareTrees(read: (hash: Hash) => Tree, from: Hash, to: Hash): Changes {
  const changes = new Map<string, Change>();
  const compare = (prefix: string, before: Tree, after: Tree): void => {
    const [old, now] = [new Map(before), new Map(after)];
    for (const name of [...new Set([...old.keys(), ...now.keys()])].toSorted()) {
      const [a, b] = [old.get(name), now.get(name)];
      const path = `${prefix}${name}`;
      if (!sameEntry(a, b)) {
        changes.set(path, { ...(a && { from: plain(a) }), ...(b && { to: plain(b) }) });
      }
      const [treeA, treeB] = [folderTree(a), folderTree(b)];
      if (treeA === treeB) continue;
      compare(`${path}/`, treeA === undefined ? [] : read(treeA), treeB === undefined ? [] : read(treeB));
    }
  };
  if (from !== to) compare('', read(from), read(to));
  return changes;
}

function folderTree(entry: TreeEntry | undefined): Hash | undefined {
  return entry?.kind === 'folder' ? entry.tree : undefined;
}

function plain(entry: TreeEntry): Entry {
  if (entry.kind !== 'folder') return entry;
  const { tree: _tree, ...folder }: FolderEntry = entry;
  return folder;
}
