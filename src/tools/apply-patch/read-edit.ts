import type { JsonObject } from '../../protocol/json.ts';
import type { Hunk } from './patch.ts';

/** What the arguments of `edit_file` ask for, or what is wrong with them. */
export function readEdit(given: JsonObject | undefined): Hunk | string {
  if (given === undefined) return 'they are not a JSON object.';
  const { path, old_text: find, new_text: put, replace_all: all } = given;
  if (typeof path !== 'string' || path === '') return '`path` must be a string that is not empty.';
  if (path.includes('\0')) return '`path` must not hold a zero byte.';
  // What creates a file has nothing to find, and some models leave that out.
  const old = find ?? '';
  if (typeof old !== 'string' || typeof put !== 'string') return '`old_text` and `new_text` must be strings.';
  if (all !== undefined && all !== null && typeof all !== 'boolean') return '`replace_all` must be true or false.';
  if (old === put && old !== '') return '`old_text` and `new_text` are the same: nothing would change.';
  return { kind: 'replace', path, find: old, put, all: all === true };
}
