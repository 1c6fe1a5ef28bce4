import type { EngineRefused } from '../../../../engine/engine-refused.ts';
import type { StoredThreads } from '../../../../engine/store/stored-threads.ts';
import { plural } from '../../../../engine/wording.ts';
import type { Line } from '../../../../protocol/line.ts';
import type { Outcome } from '../../../../protocol/outcome.ts';
import { readLongThreadStory, type ThreadStory } from '../../../views/context/thread-story.ts';
import type { TuiSession } from '../../session/session.ts';
import { type BrowsePage, BrowseView } from '../browse-view.ts';

export interface BrowsedThread {
  readonly lines: readonly Line[];
  readonly story: ThreadStory;
  readonly view: BrowseView;
  rest(): Promise<void>;
}

/**
 * Opens a view of the thread at once, and fills it when its lines are read. Locks nothing: a running turn is not
 * disturbed. Undefined: there is nothing to show, and the user was informed. `mayBeNew`: a thread without lines can be
 * shown too.
 */
export async function browseThread(
  host: TuiSession,
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
  const rest = yieldRegularly(now);
  try {
    const lines = place === undefined ? [] : (await engine.stored.read(id)).lines;
    const page = await make({ lines, story: await readLongThreadStory(lines, rest), view, rest });
    if (!isOpen()) return;
    if (page === undefined) close();
    else view.replace(page);
    stage.draw();
  } catch (error) {
    if (isOpen()) close();
    throw error;
  }
}

/** Longer work must yield to the keyboard and the screen. */
const mostMs = 12;

/** Returns a function that yields to the event loop, but only if `mostMs` have passed since it last did. */
export function yieldRegularly(now: () => number): () => Promise<void> {
  let since = now();
  return async () => {
    if (now() - since < mostMs) return;
    await new Promise<void>((resolve) => void setImmediate(resolve));
    since = now();
  };
}

/** The turn number in a command's arguments. Undefined if there is none. */
export function parseTurnNumber(rest: string, { turns }: Pick<ThreadStory, 'turns'>): number | undefined | Outcome {
  if (rest === '') return undefined;
  const number = /^\d{1,9}$/.test(rest) ? Number(rest) : 0;
  if (number >= 1 && number <= turns.length) return number;
  return {
    code: 'no-turn',
    message: `The conversation has ${plural(turns.length, 'turn')}, and no turn ${JSON.stringify(rest.slice(0, 40))}.`,
    next: `Name one from 1 to ${turns.length}.`,
  };
}

/**
 * Changes the shown thread as a whole. The engine unloads it for that; this terminal loads it again at once, so that no
 * other program continues the open conversation, and figures are those of the changed thread.
 */
export async function changeWholeThread<Result>(
  host: TuiSession,
  work: (stored: StoredThreads) => Promise<Result | EngineRefused>,
): Promise<Result | EngineRefused> {
  const { threads } = host.parts;
  const { id } = host.thread;
  const done = await threads.whole(id, work);
  const held = await threads.load(id);
  if (held.kind === 'refused') host.refused(held.outcome);
  return done;
}
