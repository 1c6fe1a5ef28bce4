import { defined } from '../../../base/objects.ts';
import type { Snapshot } from '../../../ports/workspace.ts';
import type { TurnId } from '../../../protocol/ids.ts';
import { type JsonObject, numberAt, objectsAt, stringAt } from '../../../protocol/json.ts';
import { type Line, type LineDraft, lineType } from '../../../protocol/line.ts';
import type { FilesChangedInSideConversation } from '../../../protocol/turn-item.ts';
import { changedFilesFromJson } from '../fold/plan-and-changed-files.ts';

export type FileChangeMaker =
  | { readonly kind: 'turn'; readonly turnId: TurnId }
  | { readonly kind: 'restore'; readonly restoreId: string };

export interface SnapshotRecord {
  readonly changer: FileChangeMaker;
  readonly when: 'before' | 'after';
  readonly root: string;
  readonly tree?: string;
  /** Tree with only the changes of others: the difference is the changer's own work. Older records lack it. */
  readonly others?: string;
  /** Target of a restore, recorded before it: if the restore is cut off, this identifies its own changes. */
  readonly aim?: string;
  readonly skipped: readonly { readonly path: string; readonly why: string }[];
}

const namedSkipped = 20;

export function snapshotLine(
  changer: FileChangeMaker,
  when: SnapshotRecord['when'],
  snapshot: Snapshot,
  { aim }: Pick<SnapshotRecord, 'aim'> = {},
): LineDraft {
  const who = changer.kind === 'turn' ? { turn_id: changer.turnId } : { restore_id: changer.restoreId };
  if (snapshot.kind === 'missing')
    return { type: lineType.snapshot, payload: { ...who, when, root: snapshot.root, missing: snapshot.outcome.code } };
  const { root, tree, others, files, bytes, skipped } = snapshot;
  const named = skipped.slice(0, namedSkipped).map(({ path, why }) => ({ path, why }));
  const skipped_count = skipped.length > namedSkipped ? skipped.length : undefined;
  const what = { root, tree, others, aim, files, bytes, skipped: named, skipped_count };
  return { type: lineType.snapshot, payload: { ...who, when, ...what } };
}

export function readSnapshotLine({ type, payload }: Line): SnapshotRecord | undefined {
  if (type !== lineType.snapshot) return undefined;
  const changer = changerOf(payload);
  const [when, root] = [stringAt(payload, 'when'), stringAt(payload, 'root')];
  if (changer === undefined || (when !== 'before' && when !== 'after') || root === undefined) return undefined;
  const skipped = objectsAt(payload, 'skipped').map((entry) => ({
    path: stringAt(entry, 'path') ?? '',
    why: stringAt(entry, 'why') ?? '',
  }));
  const [tree, others, aim] = ['tree', 'others', 'aim'].map((key) => stringAt(payload, key));
  return { changer, when, root, skipped, tree, others, aim };
}

function changerOf(payload: JsonObject): FileChangeMaker | undefined {
  const [turnId, restoreId] = [stringAt(payload, 'turn_id'), stringAt(payload, 'restore_id')];
  if (turnId !== undefined) return { kind: 'turn', turnId: turnId as TurnId };
  return restoreId === undefined ? undefined : { kind: 'restore', restoreId };
}

export function readSideConversationChanges(stored: JsonObject): FilesChangedInSideConversation | undefined {
  const changes = changedFilesFromJson(stored['changes'] ?? []);
  if (changes.length === 0) return undefined;
  return { changes, ...defined({ more: numberAt(stored, 'more'), commands: numberAt(stored, 'commands') }) };
}
