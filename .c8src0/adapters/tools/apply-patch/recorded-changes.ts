import { type JsonObject, parseJsonObject, stringAt } from '../../../protocol/json.ts';
import type { ChangedFile, FileChangeItem } from '../../../protocol/turn-item.ts';
import { parsePatch } from './parse-patch.ts';
import { interceptPatch, parsePatchInput } from './apply-patch-tool.ts';
import { changedFiles, type Hunk } from './patch.ts';

/**
 * The files of a patch with their lines, read from the model's call, the only place where lines are kept. Returned
 * unchanged if the call has another number of files, or changes them in another way.
 */
export function recordedChanges({
  changes,
  places,
  call,
}: Pick<FileChangeItem, 'changes' | 'places' | 'call'>): readonly ChangedFile[] {
  const hunks = call && hunksOf(call);
  if (hunks === undefined || changes.some(({ diff }) => diff !== undefined)) return changes;
  const found = places?.length === hunks.length ? places.map((each) => each ?? undefined) : [];
  // Paths are as written: their base folder is no longer known.
  const read = changedFiles(hunks, '/', found);
  if (changes.length === 0) return read.map((file) => ({ ...file, path: file.path.slice(1) }));
  const isSame = read.length === changes.length && read.every(({ kind }, at) => kind === changes[at]!.kind);
  if (!isSame) return changes;
  return changes.map((change, at) => (read[at]!.diff === undefined ? change : { ...change, diff: read[at]!.diff }));
}

function hunksOf({ tool, input }: NonNullable<FileChangeItem['call']>): readonly Hunk[] | undefined {
  if (tool === 'edit_file') {
    const hunk = readEditArguments(parseJsonObject(input));
    return typeof hunk === 'string' ? undefined : [hunk];
  }
  const text = tool === 'apply_patch' ? parsePatchInput(input) : patchInCommand(input);
  const parsed = text === undefined ? undefined : parsePatch(text);
  return parsed?.kind === 'parsed' ? parsed.patch.hunks : undefined;
}

/** Models also write patches as commands. */
function patchInCommand(input: string): string | undefined {
  const found = interceptPatch(stringAt(parseJsonObject(input), 'cmd') ?? '');
  return found.kind === 'patch' ? found.text : undefined;
}

/** A string says what is wrong with the arguments of `edit_file`. */
export function readEditArguments(given: JsonObject | undefined): Hunk | string {
  if (given === undefined) return 'they are not a JSON object.';
  const { path, old_text: find, new_text: put, replace_all: all } = given;
  if (typeof path !== 'string' || path === '') return '`path` must be a string that is not empty.';
  if (path.includes('\0')) return '`path` must not hold a zero byte.';
  // An edit that creates a file has nothing to find, and some models omit that member.
  const old = find ?? '';
  if (typeof old !== 'string' || typeof put !== 'string') return '`old_text` and `new_text` must be strings.';
  if (all !== undefined && all !== null && typeof all !== 'boolean') return '`replace_all` must be true or false.';
  if (old === put && old !== '') return '`old_text` and `new_text` are the same: nothing would change.';
  return { kind: 'replace', path, find: old, put, all: all === true };
}
