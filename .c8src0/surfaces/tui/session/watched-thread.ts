import type { LiveNews } from '../../../engine/live/live-thread-types.ts';
import { watchThread } from '../../../engine/live/watch-thread.ts';
import type { ThreadId } from '../../../protocol/ids.ts';

import { describeThreadWriter } from '../boot/resume-thread.ts';
import { StartupQuestionDesk } from '../questions/startup/startup-question-desk.ts';
import { drawRows } from '../screen/text/draw-row.ts';
import { plain, styled, warnStyle } from '../screen/text/style.ts';
import { wrapIn } from '../screen/text/wrap-row.ts';

import type { View } from '../screen/view.ts';
import { headerCell } from '../transcript/cells/notice-cells.ts';
import { EventEntries } from '../transcript/event-entries.ts';
import type { SessionParts, TuiSession } from './session.ts';
import { ThreadReader } from './thread-reader.ts';

const lookMs = 500;
const ended = {
  title: 'The program that wrote this conversation has ended.',
  choices: [{ label: 'Continue it here' }, { label: 'Keep watching' }, { label: 'Leave' }],
};

interface WatchParts extends Pick<SessionParts, 'stage' | 'engine' | 'now'> {
  readonly desk: StartupQuestionDesk;
  readonly placeholder: string;
}

/**
 * Shows a thread that another program writes, as it is recorded, until that program has ended and the user continues it
 * here. Gives the place up to which it is on the stage. `left`: the user does not continue it.
 */
export async function showWatchedThread(id: ThreadId, parts: WatchParts): Promise<number | 'left'> {
  const { stage, engine, desk, now } = parts;
  const { stored } = engine;
  const about = await stored.summary(id);
  if (!('code' in about)) {
    const policy = [about.sandbox, about.approval].filter((word) => word !== undefined).join(', ');
    stage.transcript.add({ cell: headerCell({ ...about, policy }), isFinal: true });
  }
  const watched = await watchThread(engine, id);
  let seen = -1;
  const entries = new EventEntries(stage.transcript, (outcome) => engine.recordIfNews(outcome));
  const noted = async function* (news: AsyncIterable<LiveNews>): AsyncGenerator<LiveNews> {
    for await (const each of news) {
      if (each.kind === 'recorded' && each.more !== true) seen = each.ordinal;
      if (each.kind === 'rewound') seen = Math.min(seen, each.to);
      yield each;
    }
  };
  const reader = new ThreadReader(
    { place: watched.place, follow: (options) => noted(watched.follow(options)) },
    { stage, entries, now, asked: () => entries.notice('A question waits for an answer there.', 'info') },
  );
  const { placeholder, footer } = stage;
  stage.placeholder = parts.placeholder;
  let writer = await stored.writing(id);
  /** End of the thread when the user chose to wait for the other program. */
  let keptAt: number | undefined;
  stage.footer = (look) => {
    const unnamed = seen === keptAt ? 'no program' : 'another program';
    const who = writer === undefined ? unnamed : describeThreadWriter(writer);
    const text = `Watching only: ${who} writes it. Ctrl+C leaves`;
    // Wrapped, so that the key that leaves is never cut.
    return drawRows(wrapIn(look, [styled(text, warnStyle)], [plain('  ')]), look);
  };
  stage.draw();
  for (;;) {
    const left = await desk.wait(lookMs);
    writer = left === 'left' ? writer : await stored.writing(id);
    if (left !== 'left' && (writer !== undefined || seen === keptAt)) continue;
    const chosen = left === 'left' ? left : await desk.ask(ended);
    if (chosen === 'back' || chosen === 1) {
      keptAt = seen;
      stage.draw();
      continue;
    }
    await reader.caughtUp;
    reader.close();
    stage.busy = undefined;
    Object.assign(stage, { placeholder, footer });
    for (const entry of stage.transcript.entries) entry.isFinal = true;
    return chosen === 0 ? seen : 'left';
  }
}

/** Like `showWatchedThread`, on a screen over the conversation. `left`: the user returns to the conversation. */
export async function watchOtherThread(session: TuiSession, id: ThreadId): Promise<'ended' | 'left'> {
  const { stage: main, engine, surroundings, now } = session.parts;
  const stage = main.within();
  const desk: StartupQuestionDesk = new StartupQuestionDesk({
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
    const seen = await showWatchedThread(id, { stage, engine, desk, now, placeholder });
    return seen === 'left' ? 'left' : 'ended';
  } finally {
    stage.discard();
    main.openPager(undefined);
  }
}
