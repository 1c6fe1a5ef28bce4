import { defined } from '../protocol/defined.ts';
import { type CallItem, isCall, type Item } from '../protocol/item.ts';
import { arrayAt, isJsonObject, type JsonObject, objectAt, stringAt } from '../protocol/json.ts';
import type { Line } from '../protocol/line.ts';
import type { ChangedFile, FileChangeItem } from '../protocol/turn-item.ts';

interface AnsweredPatch {
  /** Of the answer. */
  readonly metadata: Line['metadata'] | undefined;
  /** What the model asked for. */
  readonly call: Item | undefined;
  /** What it was answered. */
  readonly answer: string;
}

/** A patch with the call that has its lines, unless the file has them apart. Where it failed, the answer says why. */
export function withLines(item: FileChangeItem, { call, metadata, answer }: AnsweredPatch): FileChangeItem {
  const changes = withStoredLines(item.changes, metadata);
  const isKnown = changes.some(({ diff }) => diff !== undefined);
  const asked = isKnown || call === undefined || !isCall(call) ? undefined : callOf(call);
  const problem = item.status === 'failed' ? answer : undefined;
  return { ...item, changes, ...defined({ call: asked, problem }) };
}

function callOf(call: CallItem): NonNullable<FileChangeItem['call']> {
  return { tool: call.name, input: call.type === 'function_call' ? call.arguments : call.input };
}

/** Older files of ours have the lines beside the answer. */
function withStoredLines(changes: readonly ChangedFile[], metadata: JsonObject | undefined): readonly ChangedFile[] {
  const stored = (arrayAt(objectAt(metadata, 'capstan'), 'changed') ?? []).filter(isJsonObject);
  if (stored.every((file) => file['diff'] === undefined)) return changes;
  const diffs = new Map(stored.map((file) => [stringAt(file, 'path'), stringAt(file, 'diff')]));
  return changes.map((change) => ({ ...change, ...defined({ diff: change.diff ?? diffs.get(change.path) }) }));
}

/** The record of a patch as files of the old form have it, in the new form. */
export function patchInOldForm(payload: JsonObject): JsonObject {
  const { call_id: id = '', success, changes = {}, capstan, turn_id } = payload;
  const status = success === true ? 'completed' : 'failed';
  return { item: { type: 'FileChange', id, changes, status, ...defined({ capstan }) }, ...defined({ turn_id }) };
}
