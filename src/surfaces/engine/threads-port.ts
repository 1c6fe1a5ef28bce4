import type { OpenThread, Threads } from '../../ports/threads.ts';
import type { Thread } from '../../thread/thread.ts';
import type { EngineRefused } from './engine-refused.ts';
import type { OpenedThread } from './open-thread.ts';

/** What of the engine it needs. */
interface ThreadOpener {
  readonly threads: readonly Thread[];
  start(wanted: Parameters<Threads['start']>[0]): Promise<OpenedThread | EngineRefused>;
  resume(...wanted: Parameters<Threads['resume']>): Promise<OpenedThread | EngineRefused>;
  fork(...wanted: Parameters<Threads['fork']>): Promise<OpenedThread | EngineRefused>;
}

/** The engine as its threads know it. */
export function threadsPort(engine: ThreadOpener): Threads {
  const asOpen = (thread: Thread): OpenThread => {
    return { kind: 'thread', id: thread.id, run: (turn) => thread.run(turn), close: () => thread.close() };
  };
  const given = (opened: OpenedThread | EngineRefused): OpenThread | EngineRefused =>
    opened.kind === 'refused' ? opened : asOpen(opened.thread);
  return {
    get open() {
      return engine.threads.map(asOpen);
    },
    start: async (wanted) => given(await engine.start(wanted)),
    resume: async (id, wanted) => given(await engine.resume(id, wanted)),
    fork: async (id, cut, wanted) => given(await engine.fork(id, cut, wanted)),
  };
}
