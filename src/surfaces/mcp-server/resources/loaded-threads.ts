import { defined } from '../../../protocol/defined.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import type { EngineRefused } from '../../engine/engine-refused.ts';
import type { LiveThread, LiveThreads } from '../../engine/live/live-thread.ts';
import type { ThreadRequest } from '../../engine/thread-request.ts';

type Begin = (thread: LiveThread) => () => void;

/** Live threads that report which of them are loaded: a client may watch one before any call uses it. */
export class LoadedThreads {
  readonly live: LiveThreads;
  readonly #watches = new Map<ThreadId, Set<Watch>>();

  /** `askUser`: who answers, unless a request names another; absent: clients do. */
  constructor(live: LiveThreads, { askUser }: Pick<ThreadRequest, 'askUser'> = {}) {
    const loads = async (loading: Promise<LiveThread | EngineRefused>): Promise<LiveThread | EngineRefused> => {
      const thread = await loading;
      if (thread.kind === 'live') for (const watch of this.#watches.get(thread.id) ?? []) watch.begin(thread);
      return thread;
    };
    const answered = defined({ askUser });
    this.live = {
      get loaded() {
        return live.loaded;
      },
      agentsOf: (id) => live.agentsOf(id),
      knows: (id) => live.knows(id),
      start: (request) => loads(live.start({ ...answered, ...request })),
      load: (id, request) => loads(live.load(id, { ...answered, ...request })),
      fork: (id, cut, request) => loads(live.fork(id, cut, { ...answered, ...request })),
      whole: (id, work) => live.whole(id, work),
      preview: (id, state) => live.preview(id, state),
      close: () => live.close(),
    };
  }

  /** Calls `begin` once, as soon as the thread is loaded; what that gives is called when the watch ends. */
  watch(id: ThreadId, begin: Begin): () => void {
    const watch = new Watch(begin);
    const all = this.#watches.get(id) ?? new Set();
    this.#watches.set(id, all.add(watch));
    const thread = this.live.loaded.find((each) => each.id === id);
    if (thread !== undefined) watch.begin(thread);
    return () => {
      all.delete(watch);
      if (all.size === 0 && this.#watches.get(id) === all) this.#watches.delete(id);
      watch.end();
    };
  }
}

class Watch {
  readonly #begin: Begin;
  #end: (() => void) | undefined;
  #isOver = false;

  constructor(begin: Begin) {
    this.#begin = begin;
  }

  begin(thread: LiveThread): void {
    if (!this.#isOver) this.#end ??= this.#begin(thread);
  }

  end(): void {
    this.#isOver = true;
    this.#end?.();
  }
}
