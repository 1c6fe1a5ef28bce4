import type { Line } from '../../../protocol/line.ts';
import { tellLongStory, type ThreadStory } from '../../context/thread-story.ts';
import type { InsightHost } from './insight-host.ts';
import type { BrowsePage } from '../views/browse-page.ts';
import { BrowseView } from '../views/browse-view.ts';
import { restsOf } from './rests.ts';

/** The thread as its lines tell it, for those who make pages of it. */
export interface BrowsedThread {
  readonly lines: readonly Line[];
  readonly story: ThreadStory;
  readonly view: BrowseView;
  rest(): Promise<void>;
}

/**
 * Opens a view of the thread at once, and fills it when its lines were read. Nothing is locked: a turn that runs is not
 * disturbed. Undefined: there is nothing to show, and the user was told why. `mayBeNew`: there is something to show of a
 * thread without lines.
 */
export async function browseThread(
  host: InsightHost,
  title: string,
  make: (thread: BrowsedThread) => Promise<BrowsePage | undefined> | BrowsePage | undefined,
  { mayBeNew = false }: { readonly mayBeNew?: boolean } = {},
): Promise<void> {
  const { stage, engine, now } = host.parts;
  const { id, place } = host.thread;
  if (place === undefined && !mayBeNew) return host.notice('Nothing was sent yet. Send a message first.');
  const close = (): void => stage.openPager(undefined);
  const view = new BrowseView({ kind: 'list', title, length: 0, row: () => [], empty: 'Reading the thread' }, close);
  const isOpen = (): boolean => stage.pager === view;
  stage.openPager(view);
  const rest = restsOf(now);
  try {
    const lines = place === undefined ? [] : (await engine.stored.read(id)).lines;
    const page = await make({ lines, story: await tellLongStory(lines, rest), view, rest });
    if (!isOpen()) return;
    if (page === undefined) close();
    else view.replace(page);
    stage.draw();
  } catch (error) {
    if (isOpen()) close();
    throw error;
  }
}
