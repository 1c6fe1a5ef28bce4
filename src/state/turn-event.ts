import { defined } from '../protocol/defined.ts';
import { type JsonObject, numberAt, objectAt, stringAt } from '../protocol/json.ts';

/** How a turn ended; `open`: it has not. On a thread without a writer, an open turn was cut off. */
export type TurnStatus = 'completed' | 'failed' | 'interrupted' | 'open';

/** An event that begins a turn, ends one, or takes turns back. Every reader of turns goes by it. */
export type TurnEvent =
  /** `isCompaction`: the turn only makes a checkpoint. */
  | { readonly kind: 'start'; readonly name: string; readonly at?: number; readonly isCompaction: boolean }
  | { readonly kind: 'end'; readonly name: string; readonly at?: number; readonly status: TurnStatus }
  /** The newest so many turns that count; always a whole number of at least 1. */
  | { readonly kind: 'rollback'; readonly count: number };

const kinds: ReadonlyMap<unknown, TurnEvent['kind']> = new Map([
  ['task_started', 'start'],
  ['turn_started', 'start'],
  ['task_complete', 'end'],
  ['turn_complete', 'end'],
  ['turn_aborted', 'end'],
  ['thread_rolled_back', 'rollback'],
]);

/** Which kind of turn event has this type, if one does. */
export function turnEventKind(type: unknown): TurnEvent['kind'] | undefined {
  return kinds.get(type);
}

/** What an `event_msg` says about turns. `at` is in seconds since the Unix epoch; a turn without a name has an empty one. */
export function turnEvent(event: JsonObject): TurnEvent | undefined {
  const kind = turnEventKind(event['type']);
  if (kind === undefined) return undefined;
  if (kind === 'rollback') {
    const count = numberAt(event, 'num_turns') ?? 0;
    return Number.isInteger(count) && count > 0 ? { kind, count } : undefined;
  }
  const at = numberAt(event, kind === 'start' ? 'started_at' : 'completed_at');
  const turn = { name: stringAt(event, 'turn_id') ?? '', ...defined({ at }) };
  const isCompaction = objectAt(event, 'capstan')?.['purpose'] === 'compaction';
  return kind === 'start' ? { kind, ...turn, isCompaction } : { kind, ...turn, status: statusAfter(event) };
}

function statusAfter(event: JsonObject): TurnStatus {
  if (event['type'] === 'turn_aborted') return 'interrupted';
  return objectAt(event, 'error') === undefined ? 'completed' : 'failed';
}

/** Whether the end of a turn with this name ends the open turn with that name. Without a name, either means the other. */
export function closes(ended: string, open: string): boolean {
  return ended === '' || open === '' || ended === open;
}
