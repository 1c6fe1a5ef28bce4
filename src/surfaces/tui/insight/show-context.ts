import type { InsightHost } from './insight-host.ts';
import type { BrowseView } from '../views/browse-view.ts';
import { textPage } from '../views/text-page.ts';
import { browseThread } from './browse-thread.ts';
import { contextCard } from './context-card.ts';
import { contextPage } from './context-pages.ts';
import { pinText } from './pin-note.ts';
import { windowOf } from './read-window.ts';

/** `/context`: what fills the window. A card stays in the transcript; the map opens over it. */
export function showContext(host: InsightHost): Promise<void> {
  return browseThread(host, 'Context', async (thread) => {
    const window = await windowOf(host, thread);
    host.parts.stage.transcript.add({ cell: contextCard(window), isFinal: true });
    return contextPage(window, { pin: (item) => host.run(pin(host, thread.view, item.text())) });
  });
}

async function pin(host: InsightHost, view: BrowseView, text: string): Promise<void> {
  const { words } = await pinText(host, text);
  view.open(textPage({ title: 'Note', about: [], text: () => words }));
  host.parts.stage.draw();
}
