import { defined } from '../protocol/defined.ts';
import type { FilesChangedBeside } from '../protocol/files-changed-beside.ts';
import { type JsonObject, numberAt } from '../protocol/json.ts';
import { readChangedFiles } from './work.ts';

/** As a line says it. */
export function readChangedBeside(stored: JsonObject): FilesChangedBeside | undefined {
  const changes = readChangedFiles(stored['changes'] ?? []);
  if (changes.length === 0) return undefined;
  return { changes, ...defined({ more: numberAt(stored, 'more'), commands: numberAt(stored, 'commands') }) };
}
