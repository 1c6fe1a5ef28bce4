import type { WorkRecords } from '../../compaction/plan/work-records.ts';
import { defined, ifAllDefined } from '../../../base/objects.ts';
import { withoutParentFolders } from '../../../protocol/turn-item.ts';
import type { ChangedFile, FilePutBack, RestoredFiles } from '../../../protocol/turn-item.ts';
import type { TurnId } from '../../../protocol/ids.ts';
import { type JsonObject, numberAt, objectAt, objectsAt, stringAt, trueAt } from '../../../protocol/json.ts';
import { stringListAt } from '../questions/question-lines.ts';

export function readRestoredFiles(stored: JsonObject): RestoredFiles | undefined {
  const [restored, deleted] = [stringListAt(stored, 'restored'), stringListAt(stored, 'deleted')];
  if (restored === undefined || deleted === undefined) return undefined;
  const isUndone = trueAt(stored, 'isUndone');
  const point = objectAt(stored, 'before');
  const turnId = stringAt(point, 'turnId') as TurnId | undefined;
  const before = ifAllDefined({ turnId, number: numberAt(point, 'number'), words: stringAt(point, 'words') });
  return { restored, deleted, ...defined({ before, isUndone, more: numberAt(stored, 'more') }) };
}

export function foldRestoredFiles(work: WorkRecords, files: RestoredFiles): WorkRecords {
  const { before, isUndone, restored, deleted } = files;
  const number = before?.number;
  const back: readonly FilePutBack[] = [
    ...restored.map((path) => ({ path, before: number })),
    ...deleted.map((path) => ({ path, isDeleted: true as const, before: number })),
  ];
  const all = back.map(({ path }) => path);
  const touched = new Set(all);
  const others = (work.putBack ?? []).filter(({ path }) => !touched.has(path));
  // Lines of older versions name folders as well.
  return withPutBack(work, isUndone === true ? others : [...others, ...withoutParentFolders(back, all)]);
}

/** Folds files that a patch changed: its results exist, and so do their folders. */
export function foldPatchedFiles(work: WorkRecords, changed: readonly ChangedFile[]): WorkRecords {
  if (work.putBack === undefined) return work;
  const touched = new Set(changed.flatMap(({ path, movePath }) => [path, movePath ?? path]));
  const untouched = work.putBack.filter(({ path }) => !touched.has(path));
  return withPutBack(work, withoutParentFolders(untouched, [...touched]));
}

const withPutBack = ({ putBack: _before, ...work }: WorkRecords, putBack: readonly FilePutBack[]): WorkRecords =>
  putBack.length === 0 ? work : { ...work, putBack };

export function restoredFilesFromJson(stored: JsonObject): readonly FilePutBack[] | undefined {
  const files = objectsAt(stored, 'put_back').flatMap((value): readonly FilePutBack[] => {
    const [path, isDeleted] = [stringAt(value, 'path'), trueAt(value, 'isDeleted')];
    return path === undefined ? [] : [{ path, isDeleted, before: numberAt(value, 'before') }];
  });
  return files.length === 0 ? undefined : files;
}
