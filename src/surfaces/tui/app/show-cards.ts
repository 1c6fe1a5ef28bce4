import type { ThreadId } from '../../../protocol/ids.ts';
import { windowPage } from '../../context/show-window.ts';
import { tellStory } from '../../context/thread-story.ts';
import { windowView } from '../../context/window-view.ts';
import { paint } from '../../terminal/look.ts';
import type { Cell } from '../cells/cell.ts';
import type { TuiSession } from './session.ts';

/** `/context`: what fills the window, as `capstan context` shows it. */
export async function showContext(session: TuiSession): Promise<void> {
  const { stage, engine, threads } = session.parts;
  const { id, place } = session.thread;
  if (place === undefined) return session.notice('Nothing was sent yet: the window is empty.');
  const story = tellStory((await engine.stored.read(id as ThreadId)).lines);
  const view = windowView(story, await threads.preview(id, story.state));
  const cell: Cell = {
    rows(look) {
      const form = { width: look.width, proseWidth: look.width, color: look.colours !== 'none' };
      const page = paint(windowPage(view, story, form), form.color);
      return page.replace(/\n$/, '').split('\n');
    },
  };
  stage.transcript.add({ cell, isFinal: true });
  stage.draw();
}
