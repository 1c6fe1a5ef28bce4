import { readWindow, type WindowView } from '../../context/window-view.ts';
import type { RequestCost } from '../../context/request-cost.ts';
import { tellLongStory } from '../../context/thread-story.ts';
import type { LiveThread } from '../../engine/live/live-thread.ts';
import type { InsightHost } from './insight-host.ts';
import type { BrowsedThread } from './browse-thread.ts';
import { groupItems, type WindowGroup } from './window-groups.ts';
import { restsOf } from './rests.ts';
import { roomOf, type WindowRoom } from './window-map.ts';
import { fillWords } from './window-words.ts';

/** What fills the window of a thread, as the views show it. All figures are those of `capstan context`. */
export interface ReadWindow {
  readonly view: WindowView;
  readonly groups: readonly WindowGroup[];
  readonly room: WindowRoom;
  readonly cost: RequestCost;
}

/** How full the window is, in words: what `/context` says, for others. */
export async function windowFill({
  parts,
  thread,
}: {
  readonly parts: Pick<InsightHost['parts'], 'engine' | 'threads' | 'now'>;
  readonly thread: LiveThread;
}): Promise<string> {
  const { engine, threads, now } = parts;
  const stored = thread.place === undefined ? undefined : await engine.stored.summary(thread.id);
  if (stored !== undefined && 'code' in stored) {
    // A conversation that is not kept has no file.
    const { tokens, measure, effectiveWindow, percentRemaining } = thread.usage();
    return fillWords({ total: tokens, measure }, { limit: effectiveWindow, left: percentRemaining });
  }
  const lines = stored === undefined ? [] : (await engine.stored.read(thread.id)).lines;
  const story = await tellLongStory(lines, restsOf(now));
  const { view } = readWindow(story, await threads.preview(thread.id, story.state));
  return fillWords(view, roomOf(view));
}

export async function windowOf(
  { parts, thread }: InsightHost,
  { story, rest }: Pick<BrowsedThread, 'story' | 'rest'>,
): Promise<ReadWindow> {
  const { view, items, cost } = readWindow(story, await parts.threads.preview(thread.id, story.state));
  return { view, groups: await groupItems(items, rest), room: roomOf(view), cost };
}
