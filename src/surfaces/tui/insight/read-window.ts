import { readWindow, type WindowView } from '../../context/window-view.ts';
import type { RequestCost } from '../../context/request-cost.ts';
import type { InsightHost } from './insight-host.ts';
import type { BrowsedThread } from './browse-thread.ts';
import { groupItems, type WindowGroup } from './window-groups.ts';
import { roomOf, type WindowRoom } from './window-map.ts';

/** What fills the window of a thread, as the views show it. All figures are those of `capstan context`. */
export interface ReadWindow {
  readonly view: WindowView;
  readonly groups: readonly WindowGroup[];
  readonly room: WindowRoom;
  readonly cost: RequestCost;
}

export async function windowOf(
  { parts, thread }: InsightHost,
  { story, rest }: Pick<BrowsedThread, 'story' | 'rest'>,
): Promise<ReadWindow> {
  const { view, items, cost } = readWindow(story, await parts.threads.preview(thread.id, story.state));
  return { view, groups: await groupItems(items, rest), room: roomOf(view), cost };
}
