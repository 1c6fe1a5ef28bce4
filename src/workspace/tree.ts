import { hash } from 'node:crypto';
import type { WorkspaceContents } from '../ports/snapshot-contents.ts';

/** The name of a content: its SHA-256 in hexadecimal. */
export type Hash = string;

/** What stands at a path of a workspace. */
export type TreeNode =
  | { readonly kind: 'file'; readonly mode: number; readonly size: number; readonly hash: Hash }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'folder'; readonly mode: number }
  /** Something whose content is not kept. `mark` differs when the content may. */
  | { readonly kind: 'left-out'; readonly why: LeftOutReason; readonly size: number; readonly mark: string };

export type LeftOutReason = 'too-large' | 'no-room' | 'unreadable';

/** An entry in the tree of its folder; a folder points at its own tree. */
export type TreeEntry = Exclude<TreeNode, { kind: 'folder' }> | FolderEntry;

export interface FolderEntry {
  readonly kind: 'folder';
  readonly mode: number;
  readonly tree: Hash;
}

/** A folder: names in order, with what stands there. */
export type Tree = readonly (readonly [name: string, entry: TreeEntry])[];

export function encodeTree(tree: Tree): Uint8Array {
  const sorted = tree.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return new TextEncoder().encode(JSON.stringify(sorted));
}

/** Trusts its input: contents are checked against their names before. */
export function decodeTree(bytes: Uint8Array): Tree {
  return JSON.parse(new TextDecoder().decode(bytes)) as Tree;
}

export function hashOf(bytes: Uint8Array): Hash {
  return hash('sha256', bytes, 'hex');
}

/** Whether two places look the same. Two absent ones do. */
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

/** A content that is not there, or not as it was. */
export class ContentGone extends Error {}

/** Where contents are loaded from. */
export type ContentSource = Pick<WorkspaceContents, 'load'>;

/** Rejects with `ContentGone` when it is not there, or damaged. */
export async function loadContent(source: ContentSource, hash: Hash): Promise<Uint8Array> {
  const content = await source.load(hash);
  if (content === undefined) throw new ContentGone(`The content ${hash} is gone.`);
  return content;
}

export async function loadTree(source: ContentSource, hash: Hash): Promise<Tree> {
  return decodeTree(await loadContent(source, hash));
}
