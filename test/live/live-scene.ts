import { type FollowOptions, type LiveNews, liveThreads, type ThreadRequest } from '../../src/index.ts';
import type { LiveThread as Live, LiveThreads } from '../../src/engine/live/live-thread-types.ts';
import type { Script } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

/** Live threads over a scripted model. */
export async function liveScene(script: Script, { idleMs }: { readonly idleMs?: number } = {}) {
  const scene = await LiveThread.in(script);
  const engine = await scene.engine();
  const threads = liveThreads(engine, idleMs === undefined ? {} : { idleMs });
  whenTestEnds(() => threads.close());
  const { workspace: cwd } = scene.place;
  const start = (request: ThreadRequest = {}): Promise<Live> => opened(threads.start({ cwd, ...request }));
  return { scene, engine, threads, cwd, start };
}

export async function opened(opening: ReturnType<LiveThreads['load']>): Promise<Live> {
  const thread = await opening;
  if (thread.kind === 'refused') throw new Error(thread.outcome.message);
  return thread;
}

/** Someone who follows a thread and notes what comes. */
export class Listener {
  readonly seen: LiveNews[] = [];
  /** Settles when it has left. */
  readonly left: Promise<void>;
  readonly #stop = new AbortController();

  constructor(thread: Live, options: FollowOptions = {}, pace: () => Promise<void> = async () => {}) {
    const news = thread.follow({ ...options, signal: this.#stop.signal });
    this.left = (async () => {
      for await (const each of news) {
        this.seen.push(each);
        await pace();
      }
    })();
    whenTestEnds(() => this.#stop.abort('over'));
  }

  leave(): Promise<void> {
    this.#stop.abort('left');
    return this.left;
  }

  get recorded() {
    return this.seen.filter((news) => news.kind === 'recorded');
  }

  /** The places and kinds of the recorded news. */
  get story(): readonly string[] {
    return this.seen.flatMap((news) => {
      if (news.kind === 'rewound') return [`rewound ${news.to}`];
      return news.kind === 'recorded' ? [`${news.ordinal} ${news.event.kind}`] : [];
    });
  }

  sees(kind: string, times = 1): Promise<void> {
    const met = (): number =>
      this.seen.filter((news) => news.kind === kind || ('event' in news && news.event.kind === kind)).length;
    return until(() => met() >= times);
  }
}

export async function until(isSo: () => boolean): Promise<void> {
  const end = Date.now() + 20_000;
  while (!isSo()) {
    if (Date.now() > end) throw new Error('it never came');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
