import { isRecorded, type RecordedState } from '../../../state/recorded-events.ts';
import type { LogNews } from '../../../thread/parts/subscribers.ts';
import type { LiveNews } from './live-thread.ts';
import { newsOf, type PlacedNews, recorded } from './recorded-past.ts';
import { toldEvents } from './told-events.ts';

/** News for all who follow. `placed`: of what is recorded, where it stands. */
export interface HandedNews {
  readonly news: LiveNews;
  readonly placed?: PlacedNews;
}

/** What those who follow get of lines and events that became durable at one time, and the state behind them. */
export function handOut(
  before: RecordedState,
  all: readonly LogNews[],
): { readonly state: RecordedState; readonly news: readonly HandedNews[] } {
  const told = toldEvents(all);
  const news: HandedNews[] = [];
  let state = before;
  for (const each of all) {
    if (each.kind === 'event') {
      const isPassing = each.isPassing === true || !isRecorded(each.event);
      if (isPassing) news.push({ news: { kind: 'passing', event: each.event } });
      continue;
    }
    const line = newsOf(state, each.line);
    state = line.state;
    for (const placed of line.placed) {
      // A thread that runs takes nothing back.
      if (placed.news.kind === 'rewound') continue;
      const { event } = placed.news;
      news.push({ news: recorded(placed, told.take(event) ?? event), placed });
    }
  }
  return { state, news };
}
