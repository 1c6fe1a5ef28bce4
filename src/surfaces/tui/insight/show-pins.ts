import type { ThreadStory } from '../../context/thread-story.ts';
import type { InsightHost } from './insight-host.ts';
import type { BrowseView } from '../views/browse-view.ts';
import { textPage } from '../views/text-page.ts';
import { browseThread } from './browse-thread.ts';
import { pinText, unpin, type PinResult } from './pin-note.ts';
import { type PinActs, pinsPage } from './pin-pages.ts';

/** `/pin TEXT` pins it; without a text it shows the notes, and pins what was said. */
export async function showPins(host: InsightHost, text: string): Promise<void> {
  if (text !== '') {
    const { isDone, words } = await pinText(host, text);
    return host.notice(words, isDone ? 'info' : 'error');
  }
  const { engine } = host.parts;
  const { id } = host.thread;
  await browseThread(host, 'Pinned notes', async ({ story, view }) =>
    pinsPage(story, await engine.stored.pins(id), pinActs(host, story, view)),
  );
}

function pinActs(host: InsightHost, story: ThreadStory, view: BrowseView): PinActs {
  const act = async (wish: Promise<PinResult>): Promise<void> => {
    const { words } = await wish;
    const pins = await host.parts.engine.stored.pins(host.thread.id);
    view.reset(pinsPage(story, pins, pinActs(host, story, view)));
    view.open(textPage({ title: 'Note', about: [], text: () => words }));
    host.parts.stage.draw();
  };
  return {
    pin: (text) => host.run(act(pinText(host, text))),
    remove: (pin) => host.run(act(unpin(host, pin.id))),
  };
}
