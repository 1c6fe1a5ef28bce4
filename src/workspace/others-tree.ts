import type { WorkspaceContents } from '../ports/snapshot-contents.ts';
import type { ChangedEntry } from './attribute.ts';
import type { NewContents } from './new-contents.ts';
import { encodeTree, type Hash, hashOf, loadTree, sameEntry, type Tree, type TreeEntry } from './tree.ts';

/**
 * The workspace as others alone would have left it: the earlier tree with every change that is not the calls' own.
 * What lies between it and the later tree is their work. A folder of theirs in which others put something stays.
 * `isOwn`: whether the calls made a change. Trees that are new are `added`.
 */
export async function othersTree(
  before: Hash,
  after: Hash,
  isOwn: (change: ChangedEntry) => boolean,
  { contents, added }: { readonly contents: WorkspaceContents; readonly added: NewContents },
): Promise<Hash> {
  const readTree = (hash: Hash): Promise<Tree> => loadTree(contents, hash);
  const kept = async (tree: Tree): Promise<Hash> => {
    const bytes = encodeTree(tree);
    const hash = hashOf(bytes);
    if (!(await contents.has(hash))) added.keep(hash, bytes);
    return hash;
  };
  const merge = async (inside: string, old: Tree, now: Tree): Promise<Tree> => {
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
  const mergeTrees = async (path: string, old: Hash, now: Hash): Promise<Hash> =>
    kept(await merge(path, await readTree(old), await readTree(now)));
  return mergeTrees('', before, after);
}
