import { contentName } from '../fragments/foreign/content-name.ts';
import type { Entry } from '../history/entry.ts';
import { defined } from '../protocol/defined.ts';
import type { TurnId } from '../protocol/ids.ts';
import { isMessage } from '../protocol/item.ts';
import { type JsonObject, stringAt } from '../protocol/json.ts';
import type { ContextEvent } from '../protocol/thread-event.ts';
import { recordedItem } from './recorded-item.ts';
import { readTold } from './told-values.ts';

interface ItemPlace {
  readonly turnId: TurnId;
  /** Names an item that has no id. */
  readonly place: number;
}

/** The texts of an item that is not the model's, as events. */
export function contextEvents(
  entry: Entry,
  metadata: JsonObject | undefined,
  { turnId, place }: ItemPlace,
): readonly ContextEvent[] {
  const { item, origin } = entry;
  if (!isMessage(item)) return [];
  const about = { kind: 'context', turnId, itemId: stringAt(item, 'id') ?? `item-${place}` } as const;
  if (origin.family === 'user') {
    const said = recordedItem(entry);
    const text = said?.kind === 'user' ? said.texts.join('\n') : '';
    return [{ ...about, content: 'plain', cause: 'user', ...defined({ author: origin.author }), text }];
  }
  if (origin.family !== 'context') return [];
  const { values, why } = readTold(metadata);
  return item.content.map((part, index) => ({
    ...about,
    content: contentName(origin.kinds[index] ?? 'foreign'),
    cause: origin.cause ?? 'event',
    ...defined({ why, value: values[index] }),
    text: stringAt(part, 'text') ?? '',
  }));
}
