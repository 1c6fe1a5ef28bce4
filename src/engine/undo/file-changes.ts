import { ownPathMatcher, type OwnHomes } from '../../core/policy/paths/special-places.ts';
import type { RolloutStore } from '../../ports/thread-store.ts';
import type { SnapshotContents } from '../../ports/workspace.ts';
import { defined } from '../../base/objects.ts';
import type { Ordinal, ThreadId } from '../../protocol/ids.ts';
import type { FileChangeMaker } from '../../core/state/drafts/workspace-lines.ts';
import type { TurnSummary } from '../../core/state/turns/turn-list.ts';
import { changesWithout, compareTrees, ContentGone } from './snapshot-tree.ts';
import type { SnapshotPathChange, ContentSource, ContentHash, TreeNode } from './snapshot-tree.ts';
import { readEffects } from './recorded-effects.ts';
import { type FileDiff, fileDiffEntry } from './unified-diff.ts';

export interface ChangedFiles {
  readonly changer: FileChangeMaker;
  readonly root: string;
  /** `unknown`: no snapshot was taken, the turn was cut off, or a snapshot is gone. */
  readonly state: 'known' | 'unknown';
  /** Its own changes, or all of them if the record does not separate them. */
  readonly files: readonly TurnFileChange[];
  /** Changes by others while it ran. Undefined: the record does not say. */
  readonly meanwhile: readonly TurnFileChange[] | undefined;
}

/** Capstan lists no folders, which follow from their contents, and no paths that only became ignored or unignored. */
export interface TurnFileChange {
  /** Below the root. */
  readonly path: string;
  readonly kind: 'added' | 'changed' | 'deleted';
  /** In bytes; absent for a link. */
  readonly sizeBefore?: number;
  readonly sizeAfter?: number;
  readonly diff?: FileDiff;
}

export interface ThreadFiles {
  /** The turns that were not taken back. */
  readonly turns: readonly TurnSummary[];
  /** Oldest first. */
  readonly changes: readonly ChangedFiles[];
}

export interface FileChangesOptions {
  readonly diffs: boolean;
  /** Places of the engine, which are hidden; older snapshots may contain some of them. */
  readonly own: OwnHomes;
}

export async function fileChanges(
  contents: SnapshotContents,
  threads: RolloutStore,
  id: ThreadId,
  options: FileChangesOptions,
): Promise<ThreadFiles> {
  const { turns, effects } = await readEffects(threads.read(id, { from: 0 as Ordinal }));
  const changes: ChangedFiles[] = [];
  for (const { changer, root, before, after, others } of effects) {
    const source = await contents.of(root);
    const isOwn = ownPathMatcher(options.own, root);
    const between = (from: ContentHash | undefined, to: ContentHash | undefined) =>
      filesBetween(source, from, to, { diffs: options.diffs, isLeft: (path) => isOwn(`${root}/${path}`) });
    const files = await between(others ?? before, after);
    const meanwhile = others === undefined ? undefined : await between(before, others);
    const state = files === undefined ? 'unknown' : 'known';
    changes.push({ changer, root, state, files: files ?? [], meanwhile });
  }
  return { turns, changes };
}

async function filesBetween(
  source: ContentSource,
  from: ContentHash | undefined,
  to: ContentHash | undefined,
  { diffs, isLeft }: { readonly diffs: boolean; isLeft(path: string): boolean },
): Promise<readonly TurnFileChange[] | undefined> {
  if (from === undefined || to === undefined) return undefined;
  const changed = await compareTrees(source, from, to).catch((error: unknown) => {
    if (!(error instanceof ContentGone)) throw error;
  });
  if (changed === undefined) return undefined;
  const files: TurnFileChange[] = [];
  for (const [path, change] of changesWithout(changed, isLeft)) {
    const file = fileChange(path, change);
    if (file !== undefined) files.push(diffs ? { ...file, diff: await fileDiffEntry(source, change) } : file);
  }
  return files;
}

function fileChange(path: string, change: SnapshotPathChange): TurnFileChange | undefined {
  const [from, to] = [notFolder(change.from), notFolder(change.to)];
  if (change.ignored !== undefined || (from === undefined && to === undefined)) return undefined;
  const kind = from === undefined ? 'added' : to === undefined ? 'deleted' : 'changed';
  return { path, kind, ...defined({ sizeBefore: sizeOf(from), sizeAfter: sizeOf(to) }) };
}

const notFolder = (entry: TreeNode | undefined): TreeNode | undefined => (entry?.kind === 'folder' ? undefined : entry);

const sizeOf = (entry: TreeNode | undefined): number | undefined =>
  entry?.kind === 'file' || entry?.kind === 'left-out' ? entry.size : undefined;
