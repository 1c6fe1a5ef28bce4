import type { ThreadId } from '../../../protocol/ids.ts';
import { GateDesk } from '../gates/gate-desk.ts';
import type { View } from '../views/view.ts';
import type { TuiSession } from './session.ts';
import { showWatched } from './show-watched.ts';

/**
 * Shows a thread that another program writes, on a screen over the conversation, until that program has ended and the
 * user continues it here. Nothing can be said to it meanwhile. `left`: the user goes back to the conversation.
 */
export async function watchOver(session: TuiSession, id: ThreadId): Promise<'ended' | 'left'> {
  const { stage: main, engine, surroundings, now } = session.parts;
  const stage = main.within();
  const desk: GateDesk = new GateDesk({
    open: (view) => stage.open(view),
    quit: () => desk.end(),
    pause: surroundings.pause,
  });
  const view: View = {
    frame: (look, height) => stage.wholeFrame(look, height),
    input(input) {
      if (stage.view !== undefined) return stage.view.input(input);
      if (input.kind === 'wheel') return stage.scroll(input.direction === 'up' ? 3 : -3);
      if (input.kind !== 'key') return;
      if (input.name === 'pageup' || input.name === 'pagedown')
        stage.scroll(input.name === 'pageup' ? stage.page : -stage.page);
      if (['ctrl+c', 'escape', 'q'].includes(input.name)) desk.end();
    },
  };
  main.openPager(view);
  try {
    const placeholder = 'Watching: this terminal says nothing to it';
    const seen = await showWatched(id, { stage, engine, desk, now, placeholder });
    return seen === 'left' ? 'left' : 'ended';
  } finally {
    stage.discard();
    main.openPager(undefined);
  }
}
