import type { RolloutStore } from '../../ports/thread-store.ts';
import type { Ordinal, ThreadId } from '../../protocol/ids.ts';
import { lineTime, type ThreadEvent } from '../../protocol/thread-event.ts';
import { foldRecorded, initialRecordedState } from '../../core/state/recorded/thread-events.ts';

export interface StoredEvent {
  readonly event: ThreadEvent;
  /** In milliseconds. Undefined: the time of its line is unreadable. */
  readonly at: number | undefined;
}

export async function* storedEvents(store: RolloutStore, id: ThreadId): AsyncGenerator<StoredEvent, void> {
  let state = initialRecordedState(id);
  for await (const line of store.read(id, { from: 0 as Ordinal })) {
    const folded = foldRecorded(state, line);
    state = folded.state;
    const at = lineTime(line);
    for (const news of folded.news) if (news.kind === 'event') yield { event: news.event, at };
  }
}
