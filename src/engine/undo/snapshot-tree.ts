import type { WorkspaceContents } from '../../ports/workspace.ts';
import { type IgnoreRules, isIgnored, nothingIgnored, withIgnoreFile } from '../workspace/ignore-rules.ts';
import { hash } from 'node:crypto';

/** The SHA-256 of a content, in hexadecimal. */
export type ContentHash = string;

export type TreeNode =
  | { readonly kind: 'file'; readonly mode: number; readonly size: number; readonly hash: ContentHash }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'folder'; readonly mode: number }
  /** Its content is not kept. `mark` changes whenever the content may have. */
  | { readonly kind: 'left-out'; readonly why: LeftOutReason; readonly size: number; readonly mark: string };

export type LeftOutReason = 'too-large' | 'no-room' | 'unreadable';
export type TreeEntry = Exclude<TreeNode, { kind: 'folder' }> | FolderEntry;
export type FolderEntry = Extract<TreeNode, { kind: 'folder' }> & { readonly tree: ContentHash };
/** The entries of a folder, ordered by name. */
export type SnapshotTree = readonly (readonly [name: string, entry: TreeEntry])[];

export function encodeTree(tree: SnapshotTree): Uint8Array {
  const sorted = tree.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return new TextEncoder().encode(JSON.stringify(sorted));
}

/** Trusts its input: the store has checked the bytes against their hash. */
export const decodeTree = (bytes: Uint8Array): SnapshotTree =>
  JSON.parse(new TextDecoder().decode(bytes)) as SnapshotTree;
export const contentHash = (bytes: Uint8Array): ContentHash => hash('sha256', bytes, 'hex');

/** True also for two absent entries. */
export function sameEntry(a: TreeNode | undefined, b: TreeNode | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  switch (a.kind) {
    case 'file':
      return b.kind === 'file' && a.hash === b.hash && a.mode === b.mode;
    case 'link':
      return b.kind === 'link' && a.target === b.target;
    case 'folder':
      return b.kind === 'folder' && a.mode === b.mode;
    case 'left-out':
      return b.kind === 'left-out' && a.mark === b.mark;
  }
}

/** A content that is missing or damaged. */
export class ContentGone extends Error {}

export type ContentSource = Pick<WorkspaceContents, 'load'>;

/** Rejects with `ContentGone` if it is missing or damaged. */
export async function loadContent(source: ContentSource, hash: ContentHash): Promise<Uint8Array> {
  const content = await source.load(hash);
  if (content === undefined) throw new ContentGone(`The content ${hash} is gone.`);
  return content;
}

export const loadTree = async (source: ContentSource, hash: ContentHash): Promise<SnapshotTree> =>
  decodeTree(await loadContent(source, hash));

/** A change of one path. `from` is absent if it was added, `to` if it was deleted. */
export interface SnapshotPathChange {
  readonly from?: TreeNode;
  readonly to?: TreeNode;
  /** On this side the ignore rules left the path out, so Capstan does not know what was there. */
  readonly ignored?: 'before' | 'after';
}

/** By path below the workspace's root; a folder comes before its contents. */
export type SnapshotPathChanges = ReadonlyMap<string, SnapshotPathChange>;

export const changesWithout = (changes: SnapshotPathChanges, isLeft: (path: string) => boolean): SnapshotPathChanges =>
  new Map([...changes].filter(([path]) => !isLeft(path)));

interface Side {
  readonly tree: SnapshotTree;
  /** The rules from above, without the folder's own ignore file. `all`: everything in the folder is left out. */
  readonly rules: IgnoreRules | 'all';
}

/** Compares two trees without opening equal folders. Rejects with `ContentGone`. */
export async function compareTrees(
  source: ContentSource,
  from: ContentHash,
  to: ContentHash,
): Promise<SnapshotPathChanges> {
  const changes = new Map<string, SnapshotPathChange>();
  const compare = async (folder: string, before: Side, after: Side): Promise<void> => {
    const [old, now] = [new Map(before.tree), new Map(after.tree)];
    const [oldRules, newRules] = [await rulesIn(source, folder, before), await rulesIn(source, folder, after)];
    for (const name of [...new Set([...old.keys(), ...now.keys()])].toSorted()) {
      const [a, b] = [old.get(name), now.get(name)];
      const path = `${folder}/${name}`;
      const kind = (a ?? b)?.kind === 'folder' ? 'folder' : 'other';
      const wasIgnored = a === undefined && leavesOut(oldRules, path, kind);
      const isIgnoredNow = b === undefined && leavesOut(newRules, path, kind);
      if (!sameEntry(a, b)) {
        const ignored = wasIgnored ? 'before' : isIgnoredNow ? 'after' : undefined;
        changes.set(path.slice(1), { from: a && plain(a), to: b && plain(b), ignored });
      }
      const [treeA, treeB] = [folderTree(a), folderTree(b)];
      // The contents of a formerly unreadable folder are not new.
      if (treeA === treeB || a?.kind === 'left-out' || b?.kind === 'left-out') continue;
      const oldSide = await side(treeA, wasIgnored ? 'all' : oldRules);
      await compare(path, oldSide, await side(treeB, isIgnoredNow ? 'all' : newRules));
    }
  };
  const side = async (tree: ContentHash | undefined, rules: Side['rules']): Promise<Side> => ({
    tree: tree === undefined ? [] : await loadTree(source, tree),
    rules,
  });
  if (from !== to) await compare('', await side(from, nothingIgnored), await side(to, nothingIgnored));
  return changes;
}

async function rulesIn(source: ContentSource, folder: string, { tree, rules }: Side): Promise<Side['rules']> {
  const file = tree.find(([name]) => name === '.gitignore')?.[1];
  if (rules === 'all' || file?.kind !== 'file') return rules;
  const text = new TextDecoder().decode(await loadContent(source, file.hash));
  return withIgnoreFile(rules, folder === '' ? '/' : folder, text);
}

const leavesOut = (rules: Side['rules'], path: string, kind: 'folder' | 'other'): boolean =>
  rules === 'all' || isIgnored(rules, path, kind);

const folderTree = (entry: TreeEntry | undefined): ContentHash | undefined =>
  entry?.kind === 'folder' ? entry.tree : undefined;

function plain(entry: TreeEntry): TreeNode {
  if (entry.kind !== 'folder') return entry;
  const { tree: _tree, ...folder } = entry;
  return folder;
}
