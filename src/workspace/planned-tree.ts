import type { RestoreAction } from './restore-plan.ts';
import { type ContentSource, encodeTree, type Hash, hashOf, loadTree, type Tree, type TreeEntry } from './tree.ts';

/** Folders that are missing on the way to what comes back are made with this mode. */
export const missingFolderMode = 0o755;

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
