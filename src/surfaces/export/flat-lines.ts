import type { Ordinal, ThreadId } from '../../protocol/ids.ts';
import { type JsonObject, numberAt, stringAt } from '../../protocol/json.ts';
import { type Line, lineType } from '../../protocol/line.ts';

/** What a first line says about the file that it continues from: a flat file continues from none. */
const pointers: ReadonlySet<string> = new Set(['history_base', 'forked_from_ordinal_exclusive']);

/**
 * The lines of a thread as one file that stands for itself: those that a fork or a revert continues stand in it, and
 * they are counted anew, without gaps, as a program that resumes the file expects. The thread gets the id. Of the rest
 * no value is changed. A file in the older mode has no numbers and gets none.
 */
export function flatLines(lines: readonly Line[], id: ThreadId): readonly Line[] {
  const [first, ...rest] = lines;
  if (first?.type !== lineType.sessionMeta) return lines;
  const isNumbered = first.payload['history_mode'] === 'paginated';
  const flat = [{ ...first, payload: flatMeta(first.payload, lines, id) }, ...rest];
  return isNumbered ? flat.map((line, index) => ({ ...line, ordinal: index as Ordinal })) : flat;
}

function flatMeta(meta: JsonObject, lines: readonly Line[], id: ThreadId): JsonObject {
  const kept: JsonObject = Object.fromEntries(Object.entries(meta).filter(([key]) => !pointers.has(key)));
  const start = numberAt(meta, 'subagent_history_start_ordinal');
  const isBefore = ({ ordinal }: Line, index: number): boolean => index === 0 || (ordinal ?? 0) < (start ?? 0);
  const old = stringAt(meta, 'id');
  // A root thread shares its id with its session; a subagent's session is its parent's.
  const isRoot = meta['session_id'] === undefined || meta['session_id'] === old;
  return {
    ...kept,
    ...(start === undefined ? {} : { subagent_history_start_ordinal: lines.filter(isBefore).length }),
    ...(old === id ? {} : { id, ...(isRoot ? { session_id: id } : {}) }),
  };
}
