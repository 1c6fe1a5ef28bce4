import { parseJsonObject, stringAt } from '../../protocol/json.ts';
import type { ChangedFile, FileChangeItem } from '../../protocol/turn-item.ts';
import { changedFiles } from './changed-files.ts';
import { interceptPatch } from './intercept.ts';
import { parsePatch } from './parse-patch.ts';
import type { Hunk } from './patch.ts';
import { readEdit } from './read-edit.ts';
import { readPatchInput } from './read-patch-input.ts';

type RecordedPatch = Pick<FileChangeItem, 'changes' | 'places' | 'call'>;

/**
 * The files of a patch with their lines. A file keeps the lines once, in the call that the model made: they are read from
 * there. As they are where the call changes another number of files, or
 * changes them in another way.
 */
export function recordedChanges({ changes, places, call }: RecordedPatch): readonly ChangedFile[] {
  const hunks = call && hunksOf(call);
  if (hunks === undefined || changes.some(({ diff }) => diff !== undefined)) return changes;
  const found = places?.length === hunks.length ? places.map((each) => each ?? undefined) : [];
  // Paths are as written: the folder that they start from is not known any more.
  const read = changedFiles(hunks, '/', found);
  if (changes.length === 0) return read.map((file) => ({ ...file, path: file.path.slice(1) }));
  const isSame = read.length === changes.length && read.every(({ kind }, at) => kind === changes[at]!.kind);
  if (!isSame) return changes;
  return changes.map((change, at) => (read[at]!.diff === undefined ? change : { ...change, diff: read[at]!.diff }));
}

/** What a call asks for, if it is one that changes files. */
function hunksOf({ tool, input }: NonNullable<FileChangeItem['call']>): readonly Hunk[] | undefined {
  if (tool === 'edit_file') {
    const hunk = readEdit(parseJsonObject(input));
    return typeof hunk === 'string' ? undefined : [hunk];
  }
  const text = tool === 'apply_patch' ? readPatchInput(input) : patchInCommand(input);
  const parsed = text === undefined ? undefined : parsePatch(text);
  return parsed?.kind === 'parsed' ? parsed.patch.hunks : undefined;
}

/** Models also write patches as commands. */
function patchInCommand(input: string): string | undefined {
  const found = interceptPatch(stringAt(parseJsonObject(input), 'cmd') ?? '');
  return found.kind === 'patch' ? found.text : undefined;
}
