import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import { isRecorded } from '../../../state/recorded-events.ts';
import type { LogNews } from '../../../thread/parts/subscribers.ts';

/** The events of one time, to be given in the place of what lines say of them: lines do not keep all. */
interface ToldEvents {
  /** The event that was sent, if one was. Of several alike, each is given once, in their order. */
  take(event: ThreadEvent): ThreadEvent | undefined;
}

export function toldEvents(news: readonly LogNews[]): ToldEvents {
  const told = new Map<string, ThreadEvent[]>();
  for (const each of news) {
    if (each.kind !== 'event' || each.isPassing === true || !isRecorded(each.event)) continue;
    const key = keyOf(each.event);
    const alike = told.get(key);
    if (alike === undefined) told.set(key, [each.event]);
    else alike.push(each.event);
  }
  const taken = new Map<string, number>();
  return {
    take(event) {
      const key = keyOf(event);
      const count = taken.get(key) ?? 0;
      taken.set(key, count + 1);
      return told.get(key)?.[count];
    },
  };
}

/** Names what happened, however much is known of it. */
function keyOf(event: ThreadEvent): string {
  const about = event as {
    readonly turnId?: string;
    readonly id?: string;
    readonly itemId?: string;
    readonly callId?: string;
    readonly item?: { readonly id: string };
    readonly question?: { readonly id: string };
  };
  const item = event.kind === 'item-completed' ? about.item?.id : undefined;
  const names = [event.kind, about.turnId, about.id, about.itemId, about.callId, item, about.question?.id];
  return names.join('\n');
}
