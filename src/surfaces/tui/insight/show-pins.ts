import type { ThreadStory } from '../../context/thread-story.ts';
import type { TuiSession } from '../app/session.ts';
import type { BrowseView } from '../views/browse-view.ts';
import { textPage } from '../views/text-page.ts';
import { browseThread } from './browse-thread.ts';
import { pinText, unpin, type PinResult } from './pin-note.ts';
import { type PinActs, pinsPage } from './pin-pages.ts';

/** `/pin TEXT` pins it; without a text it shows the notes, and pins what was said. */
export async function showPins(session: TuiSession, text: string): Promise<void> {
  if (text !== '') {
    const { isDone, words } = await pinText(session, text);
    return session.notice(words, isDone ? 'info' : 'error');
  }
  const { engine } = session.parts;
  const { id } = session.thread;
  await browseThread(session, 'Pinned notes', async ({ story, view }) =>
    pinsPage(story, await engine.stored.pins(id), pinActs(session, story, view)),
  );
}

function pinActs(session: TuiSession, story: ThreadStory, view: BrowseView): PinActs {
  const act = async (wish: Promise<PinResult>): Promise<void> => {
    const { words } = await wish;
    const pins = await session.parts.engine.stored.pins(session.thread.id);
    view.reset(pinsPage(story, pins, pinActs(session, story, view)));
    view.open(textPage({ title: 'Note', about: [], text: () => words }));
    session.parts.stage.draw();
  };
  return {
    pin: (text) => session.run(act(pinText(session, text))),
    remove: (pin) => session.run(act(unpin(session, pin.id))),
  };
}
