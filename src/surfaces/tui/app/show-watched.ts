import type { ThreadId } from '../../../protocol/ids.ts';
import type { ThreadSummary } from '../../../protocol/thread-summary.ts';
import type { Engine } from '../../engine/engine.ts';
import type { LiveNews } from '../../engine/live/live-thread.ts';
import { watchThread } from '../../engine/live/watched-thread.ts';
import type { GateDesk } from '../gates/gate-desk.ts';
import { writerWords } from '../gates/writer-words.ts';
import { drawRows } from '../text/draw-row.ts';
import { plain, styled, warnStyle } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';
import { EventEntries } from './event-entries.ts';
import { headerCell } from './header-cell.ts';
import type { TuiStage } from './stage.ts';
import { ThreadReader } from './thread-reader.ts';

const lookMs = 500;

interface WatchParts {
  readonly stage: TuiStage;
  readonly engine: Engine;
  readonly desk: GateDesk;
  /** In the empty composer. */
  readonly placeholder: string;
  now(): number;
}

/**
 * Shows a thread that another program writes, as far as it is recorded, until that program has ended and the user
 * continues it here. Gives the place up to which it is on the stage. `left`: the user does not continue it.
 */
export async function showWatched(id: ThreadId, parts: WatchParts): Promise<number | 'left'> {
  const { stage, engine, desk, now } = parts;
  const { stored } = engine;
  const about = await stored.summary(id);
  if (!('code' in about)) stage.transcript.add({ cell: headerCell({ ...about, ...policyOf(about) }), isFinal: true });
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
    {
      stage,
      entries,
      now,
      asked: () => entries.notice('A question waits for an answer there.', 'info'),
      answered: () => undefined,
      said: () => undefined,
      observe: () => undefined,
      proposed: () => undefined,
      turnBegan: () => undefined,
      turnOver: () => undefined,
    },
  );
  const { placeholder, footer } = stage;
  stage.placeholder = parts.placeholder;
  let writer = await stored.writing(id);
  /** Where it ended when the user chose to wait for another program that writes it. */
  let keptAt: number | undefined;
  stage.footer = (look) => {
    const who = writer !== undefined ? writerWords(writer) : seen === keptAt ? 'no program' : 'another program';
    const text = `Watching only: ${who} writes it. Ctrl+C leaves`;
    // Wrapped: the key that leaves is never cut.
    const rows = wrapRow([styled(text, warnStyle)], { width: look.width, first: [plain('  ')], rest: [plain('  ')] });
    return drawRows(rows, look);
  };
  stage.draw();
  for (;;) {
    const left = await desk.wait(lookMs);
    writer = left === 'left' ? writer : await stored.writing(id);
    if (left !== 'left' && (writer !== undefined || seen === keptAt)) continue;
    const chosen =
      left === 'left'
        ? left
        : await desk.ask({
            title: 'The program that wrote this conversation has ended.',
            choices: [{ label: 'Continue it here' }, { label: 'Keep watching' }, { label: 'Leave' }],
          });
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

/** What commands of the thread may do. Its file may not say. */
function policyOf({ sandbox, approval }: ThreadSummary): { readonly policy?: string } {
  const words = [sandbox, approval].filter((word) => word !== undefined);
  return words.length === 0 ? {} : { policy: words.join(', ') };
}
