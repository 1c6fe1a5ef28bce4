import type { ThreadEvent } from '../../../protocol/thread-event.ts';
import type { LiveNews } from '../../engine/live/live-thread.ts';

/** The event of the thread that news brings, if it does. */
export function eventOf(news: LiveNews): ThreadEvent | undefined {
  return news.kind === 'recorded' || news.kind === 'passing' ? news.event : undefined;
}
