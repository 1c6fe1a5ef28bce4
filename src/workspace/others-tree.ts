import type { ChangedEntry } from './attribute.ts';
import { encodeTree, type Hash, hashOf, sameEntry, type Tree, type TreeEntry } from './tree.ts';

export interface OthersInput {
  readTree(hash: Hash): Tree;
  /** Whether the calls in question made this change. */
  isOwn(change: ChangedEntry): boolean;
  /** Keeps a tree that is new. */
  keep(hash: Hash, bytes: Uint8Array): void;
}

/**
 * The workspace as others alone would have left it: the earlier tree with every change that is not the calls' own.
 * What lies between it and the later tree is their work. A folder of theirs in which others put something stays.
 */
export function othersTree({ readTree, isOwn, keep }: OthersInput, before: Hash, after: Hash): Hash {
  const kept = (tree: Tree): Hash => {
    const bytes = encodeTree(tree);
    const hash = hashOf(bytes);
    keep(hash, bytes);
    return hash;
  };
  const merge = (inside: string, old: Tree, now: Tree): Tree => {
    const [was, is] = [new Map(old), new Map(now)];
    return [...new Set([...was.keys(), ...is.keys()])].flatMap((name) => {
      const path = inside === '' ? name : `${inside}/${name}`;
      const entry = choose({ path, from: was.get(name), to: is.get(name) });
      return entry === undefined ? [] : [[name, entry] as const];
    });
  };
  const choose = (change: ChangedEntry): TreeEntry | undefined => {
    const { path, from, to } = change;
    if (from?.kind === 'folder' && to?.kind === 'folder') {
      const tree = from.tree === to.tree ? to.tree : kept(merge(path, readTree(from.tree), readTree(to.tree)));
      return { kind: 'folder', mode: from.mode !== to.mode && isOwn(change) ? from.mode : to.mode, tree };
    }
    if (from?.kind !== 'folder' && to?.kind !== 'folder' && sameEntry(from, to)) return to;
    const own = isOwn(change);
    if (to?.kind === 'folder') {
      const inner = merge(path, [], readTree(to.tree));
      return inner.length === 0 && own ? from : { ...to, tree: kept(inner) };
    }
    if (from?.kind === 'folder' && to === undefined) {
      const inner = merge(path, readTree(from.tree), []);
      return inner.length === 0 && !own ? undefined : { ...from, tree: kept(inner) };
    }
    return own ? from : to;
  };
  return before === after ? after : kept(merge('', readTree(before), readTree(after)));
}
