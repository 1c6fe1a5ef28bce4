import type { TuiSession } from '../app/session.ts';
import type { BrowseView } from '../views/browse-view.ts';
import { textPage } from '../views/text-page.ts';
import { browseThread } from './browse-thread.ts';
import { contextCard } from './context-card.ts';
import { contextPage } from './context-pages.ts';
import { pinText } from './pin-note.ts';
import { windowOf } from './read-window.ts';

/** `/context`: what fills the window. A card stays in the transcript; the map opens over it. */
export function showContext(session: TuiSession): Promise<void> {
  return browseThread(session, 'Context', async (thread) => {
    const window = await windowOf(session, thread);
    session.parts.stage.transcript.add({ cell: contextCard(window), isFinal: true });
    return contextPage(window, { pin: (item) => session.run(pin(session, thread.view, item.text())) });
  });
}

async function pin(session: TuiSession, view: BrowseView, text: string): Promise<void> {
  const { words } = await pinText(session, text);
  view.open(textPage({ title: 'Note', about: [], text: () => words }));
  session.parts.stage.draw();
}
