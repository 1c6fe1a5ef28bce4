import type { RolloutStore } from '../ports/rollout-store.ts';
import type { SnapshotContents } from '../ports/snapshot-contents.ts';
import { defined } from '../protocol/defined.ts';
import type { Ordinal, ThreadId } from '../protocol/ids.ts';
import type { Changer } from '../state/snapshot-record.ts';
import type { TurnSummary } from '../state/turn-list.ts';
import { type Change, type Changes, compareTrees } from './compare-trees.ts';
import { readEffects } from './effects.ts';
import { ContentGone, type Hash, type TreeNode } from './tree.ts';

/** What a turn, or a restore, changed in its workspace. */
export interface ChangedFiles {
  readonly changer: Changer;
  readonly root: string;
  /** `unknown`: no snapshot was taken, the turn was cut off, or a snapshot is gone. */
  readonly state: 'known' | 'unknown';
  /** What it did itself; everything, where the record does not say. */
  readonly files: readonly TurnFileChange[];
  /** What changed while it ran without being its work. Undefined: the record does not say. */
  readonly meanwhile: readonly TurnFileChange[] | undefined;
}

/** Folders are not reported: they follow from what is in them. Nor is what only began or ceased to be ignored. */
export interface TurnFileChange {
  /** Below the root. */
  readonly path: string;
  readonly kind: 'added' | 'changed' | 'deleted';
  /** Bytes before and after; a link has none. */
  readonly sizeBefore?: number;
  readonly sizeAfter?: number;
}

export interface ThreadFiles {
  /** Those that were not taken back. */
  readonly turns: readonly TurnSummary[];
  /** Oldest first. */
  readonly changes: readonly ChangedFiles[];
}

export async function fileChanges(
  contents: SnapshotContents,
  threads: RolloutStore,
  id: ThreadId,
): Promise<ThreadFiles> {
  const { turns, effects } = await readEffects(threads.read(id, { from: 0 as Ordinal }));
  const changes: ChangedFiles[] = [];
  for (const { changer, root, before, after, others } of effects) {
    const changed = await changesOf(contents, root, others ?? before, after);
    const meanwhile = others === undefined ? undefined : await changesOf(contents, root, before, others);
    const state = changed === undefined ? 'unknown' : 'known';
    changes.push({ changer, root, state, files: filesIn(changed), meanwhile: meanwhile && filesIn(meanwhile) });
  }
  return { turns, changes };
}

function filesIn(changes: Changes | undefined): readonly TurnFileChange[] {
  return [...(changes ?? [])].flatMap(([path, change]) => fileChange(path, change) ?? []);
}

async function changesOf(
  contents: SnapshotContents,
  root: string,
  from: Hash | undefined,
  to: Hash | undefined,
): Promise<Changes | undefined> {
  if (from === undefined || to === undefined) return undefined;
  try {
    return await compareTrees(await contents.of(root), from, to);
  } catch (error) {
    if (error instanceof ContentGone) return undefined;
    throw error;
  }
}

function fileChange(path: string, change: Change): TurnFileChange | undefined {
  const [from, to] = [notFolder(change.from), notFolder(change.to)];
  if (change.ignored !== undefined || (from === undefined && to === undefined)) return undefined;
  const kind = from === undefined ? 'added' : to === undefined ? 'deleted' : 'changed';
  return { path, kind, ...defined({ sizeBefore: sizeOf(from), sizeAfter: sizeOf(to) }) };
}

function notFolder(entry: TreeNode | undefined): TreeNode | undefined {
  return entry?.kind === 'folder' ? undefined : entry;
}

function sizeOf(entry: TreeNode | undefined): number | undefined {
  return entry?.kind === 'file' || entry?.kind === 'left-out' ? entry.size : undefined;
}
