import { defined } from '../protocol/defined.ts';
import type { StartedProcess } from '../ports/processes.ts';
import type { ThreadId, TurnId } from '../protocol/ids.ts';
import { type JsonObject, numberAt, stringAt } from '../protocol/json.ts';
import { type LineDraft, lineType } from '../protocol/line.ts';
import type { TurnItem } from '../protocol/turn-item.ts';
import { itemRecord, storedItem } from './item-drafts.ts';
import { shortWord } from './short-word.ts';

/** A call that has begun and has no answer yet. After a crash this is all that is known about it. */
export interface CallStart {
  /** A fork holds calls of another thread, whose program may be alive. */
  readonly threadId: string;
  readonly callId: string;
  /** The name of the tool. */
  readonly tool: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** What lists and screens show, in the form of the file. */
  readonly item: JsonObject;
  /** Calling again does no harm. */
  readonly idempotent?: true;
  /** It ran without the sandbox of its turn, because the user allowed it. */
  readonly outside?: true;
  /** It ran in a wider one, which only denied what may not be read. */
  readonly confined?: true;
  /** Once it is known, and if there is one. */
  readonly process?: StartedProcess;
  /** Of what is said about the process. */
  readonly processSeal?: string;
}

export interface CallBegins extends Omit<CallStart, 'item' | 'process' | 'processSeal'> {
  /** What it answers was written outside, such as by a server. */
  readonly external?: true;
  readonly turnId: TurnId;
  readonly item: TurnItem;
}

/** Durable before the call has an effect. */
export function callStarted({ threadId, turnId, callId, tool, at, item, ...marks }: CallBegins): LineDraft {
  const { idempotent, external, outside, confined } = marks;
  const ids = { thread_id: threadId, turn_id: turnId, call_id: callId };
  const about = {
    tool,
    started_at_ms: at,
    ...defined({ idempotent, external, outside, confined }),
    item: shownCall(item),
  };
  return { type: lineType.call, payload: { ...ids, ...about } };
}

/** What lists and screens show of a call that has no end yet. */
export function shownCall(item: TurnItem): JsonObject {
  return storedItem(shortened(item));
}

/** The same call, by what its process is known. */
export function callProcess(turnId: TurnId, callId: string, { pid, startedAt, mark }: StartedProcess): LineDraft {
  const known = { pid, started_at: startedAt, mark };
  return { type: lineType.call, payload: { turn_id: turnId, call_id: callId, process: known } };
}

/** The record for lists and screens of a call whose end was not seen. */
export function callFoundDead(
  { at, item }: CallStart,
  ids: { readonly threadId: ThreadId; readonly turnId: TurnId },
): LineDraft {
  return itemRecord({ ...ids, startedAt: at, completedAt: at, item });
}

const mostChanges = 50;

/** Nothing large is stored twice (I9): the whole stands in the call that the model made. */
function shortened(item: TurnItem): TurnItem {
  if (item.kind === 'file-change') return { ...item, changes: item.changes.slice(0, mostChanges) };
  // The arguments stand in the call, and may be long.
  if (item.kind === 'tool-call') return { ...item, arguments: {} };
  if (item.kind !== 'command') return item;
  return { ...item, argv: item.argv.map(shortWord) };
}

export function readProcess(value: JsonObject | undefined): StartedProcess | undefined {
  const [pid, startedAt, mark] = [numberAt(value, 'pid'), stringAt(value, 'started_at'), stringAt(value, 'mark')];
  // A number below 2 would mean the first process or a whole group to a process that signals it.
  if (pid === undefined || !Number.isInteger(pid) || pid < 2 || !startedAt || !mark) return undefined;
  return { pid, startedAt, mark };
}
