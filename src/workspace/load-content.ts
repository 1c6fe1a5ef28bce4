import type { WorkspaceContents } from '../ports/snapshot-contents.ts';
import { decodeTree, type Hash, type Tree } from './tree.ts';

/** A content that is not there, or not as it was. */
export class ContentGone extends Error {
  readonly hash: Hash;

  constructor(hash: Hash) {
    super(`The content ${hash} is gone.`);
    this.hash = hash;
  }
}

/** Where contents are loaded from. */
export type ContentSource = Pick<WorkspaceContents, 'load'>;

/** Rejects with `ContentGone` when it is not there, or damaged. */
export async function loadContent(source: ContentSource, hash: Hash): Promise<Uint8Array> {
  const content = await source.load(hash);
  if (content === undefined) throw new ContentGone(hash);
  return content;
}

export async function loadTree(source: ContentSource, hash: Hash): Promise<Tree> {
  return decodeTree(await loadContent(source, hash));
}
