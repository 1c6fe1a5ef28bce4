import type { InsightHost } from './insight-host.ts';
import type { BrowsePage } from '../views/browse-page.ts';
import type { BrowseView } from '../views/browse-view.ts';
import { textPage } from '../views/text-page.ts';
import { browseThread, type BrowsedThread } from './browse-thread.ts';
import { contextCard } from './context-card.ts';
import { contextBrowse } from './context-pages.ts';
import { pinText } from './pin-note.ts';
import { windowOf } from './read-window.ts';

/** `/context`: what fills the window. A card stays in the transcript; the map opens over it. */
export function showContext(host: InsightHost): Promise<void> {
  const make = async (thread: BrowsedThread): Promise<BrowsePage> => {
    const window = await windowOf(host, thread);
    host.parts.stage.transcript.add({ cell: contextCard(window), isFinal: true });
    return contextBrowse(window, { pin: (item) => host.run(pin(host, thread.view, item.text())) });
  };
  // What the first request begins with is known before the first message.
  return browseThread(host, 'Context', make, { mayBeNew: true });
}

async function pin(host: InsightHost, view: BrowseView, text: string): Promise<void> {
  const { words } = await pinText(host, text);
  view.open(textPage({ title: 'Note', about: [], text: () => words }));
  host.parts.stage.draw();
}
