import type { ThreadSummary } from '../../../protocol/thread-summary.ts';
import { titleOf } from '../picker/picker-rows.ts';
import { PagerView } from '../views/pager-view.ts';
import { EventEntries } from './event-entries.ts';
import type { SessionParts } from './session.ts';
import { Transcript } from './transcript.ts';
import { TranscriptRows } from './transcript-rows.ts';

/** Events that are read between two looks at the keyboard. */
const slice = 200;

/** What was said in a thread, read from its file and without opening it. It fills while it is read. */
export async function previewListed(
  { stage, engine, now }: Pick<SessionParts, 'stage' | 'engine' | 'now'>,
  thread: ThreadSummary,
  back: () => void,
): Promise<void> {
  const transcript = new Transcript();
  const entries = new EventEntries(transcript, () => false);
  const rows = new TranscriptRows(transcript, { now, redraw: () => stage.draw() });
  let isOpen = true;
  const close = (): void => {
    isOpen = false;
    back();
  };
  stage.openPager(
    new PagerView({
      title: titleOf(thread),
      drawMore: (look) => rows.drawMore(look),
      rows: (look) => rows.rows(look),
      stops: (look) => rows.stops(look),
      startsAtEnd: true,
      close,
    }),
  );
  let count = 0;
  for await (const { event, at } of engine.stored.events(thread.id)) {
    if (!isOpen) return;
    entries.event(event, at);
    count += 1;
    if (count % slice > 0) continue;
    stage.draw();
    await new Promise((later) => setImmediate(later));
  }
  stage.draw();
}
