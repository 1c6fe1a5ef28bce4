import type { WorkRecords } from '../../compaction/plan/work-records.ts';
import { defined } from '../../../base/objects.ts';
import {
  type ChangedFile,
  type RestoredFile,
  type RestoredFiles,
  type TurnBefore,
  withoutParentFolders,
} from '../../../protocol/turn-item.ts';
import type { TurnId } from '../../../protocol/ids.ts';
import {
  arrayAt,
  isJsonObject,
  type Json,
  type JsonObject,
  numberAt,
  objectAt,
  stringAt,
} from '../../../protocol/json.ts';
import { textsAt } from '../questions/question-lines.ts';

export function readPutBack(stored: JsonObject): RestoredFiles | undefined {
  const [restored, deleted] = [textsAt(stored, 'restored'), textsAt(stored, 'deleted')];
  if (restored === undefined || deleted === undefined) return undefined;
  const isUndone = stored['isUndone'] === true || undefined;
  const before = readBefore(objectAt(stored, 'before'));
  return { restored, deleted, ...defined({ before, isUndone, more: numberAt(stored, 'more') }) };
}

function readBefore(stored: JsonObject | undefined): TurnBefore | undefined {
  const [turnId, number, words] = [stringAt(stored, 'turnId'), numberAt(stored, 'number'), stringAt(stored, 'words')];
  if (turnId === undefined || number === undefined || words === undefined) return undefined;
  return { turnId: turnId as TurnId, number, words };
}

export function foldPutBack(work: WorkRecords, { before, isUndone, restored, deleted }: RestoredFiles): WorkRecords {
  const number = defined({ before: before?.number });
  const back: readonly RestoredFile[] = [
    ...restored.map((path) => ({ path, ...number })),
    ...deleted.map((path) => ({ path, isDeleted: true as const, ...number })),
  ];
  const all = back.map(({ path }) => path);
  const touched = new Set(all);
  const others = (work.putBack ?? []).filter(({ path }) => !touched.has(path));
  // Lines of older versions name folders as well.
  return withPutBack(work, isUndone === true ? others : [...others, ...withoutParentFolders(back, all)]);
}

/** Folds files that a patch changed: its results exist, and so do their folders. */
export function changedAgain(work: WorkRecords, changed: readonly ChangedFile[]): WorkRecords {
  if (work.putBack === undefined) return work;
  const touched = new Set(changed.flatMap(({ path, movePath }) => [path, movePath ?? path]));
  const untouched = work.putBack.filter(({ path }) => !touched.has(path));
  return withPutBack(work, withoutParentFolders(untouched, [...touched]));
}

function withPutBack({ putBack: _before, ...work }: WorkRecords, putBack: readonly RestoredFile[]): WorkRecords {
  return putBack.length === 0 ? work : { ...work, putBack };
}

export function readPutBackFiles(stored: JsonObject): readonly RestoredFile[] | undefined {
  const files = (arrayAt(stored, 'put_back') ?? []).flatMap((value: Json): readonly RestoredFile[] => {
    const path = isJsonObject(value) ? stringAt(value, 'path') : undefined;
    if (!isJsonObject(value) || path === undefined) return [];
    const isDeleted = value['isDeleted'] === true || undefined;
    return [{ path, ...defined({ isDeleted, before: numberAt(value, 'before') }) }];
  });
  return files.length === 0 ? undefined : files;
}
