import { entryOf } from '../history/entry.ts';
import { defined } from '../protocol/defined.ts';
import type { ThreadId, TurnId } from '../protocol/ids.ts';
import { asItem } from '../protocol/item.ts';
import { arrayAt, isJsonObject, type JsonObject, objectAt, stringAt } from '../protocol/json.ts';
import type { ThreadEvent } from '../protocol/thread-event.ts';
import { readCheckpoint } from './checkpoints.ts';
import { contextEvents } from './recorded-context.ts';
import { readOutcome } from './recorded-turn.ts';
import { readTold } from './told-values.ts';

/** A checkpoint, and the context that it sends again. Of one that another program made nothing is known but that it is. */
export function checkpointEvents(turnId: TurnId, payload: JsonObject): readonly ThreadEvent[] {
  const report = readCheckpoint(payload);
  if (report === undefined) return [];
  const metadata = arrayAt(payload, 'replacement_history_metadata') ?? [];
  const context = (arrayAt(payload, 'replacement_history') ?? []).flatMap((value, index): readonly ThreadEvent[] => {
    const [item, beside] = [asItem(value), metadata[index]];
    // What stood before the checkpoint was said before.
    if (item === undefined || !isJsonObject(beside) || readTold(beside).why !== 'checkpoint') return [];
    return contextEvents(entryOf(item, beside), beside, { turnId, place: index });
  });
  return [...context, { kind: 'checkpoint-installed', turnId, id: report.id, report }];
}

export function failedCheckpoint(threadId: ThreadId, payload: JsonObject): ThreadEvent {
  const [id = '', turnId = ''] = [stringAt(payload, 'id'), stringAt(payload, 'turn_id')];
  const outcome = readOutcome(objectAt(payload, 'outcome'));
  const paused = payload['paused'] === true;
  return defined({ kind: 'checkpoint-failed', turnId: turnId as TurnId, id, threadId, outcome, paused }) as ThreadEvent;
}
