import type { OpenThread, ThreadRefused, Threads } from '../../ports/threads.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { ThreadCut } from '../../protocol/thread-cut.ts';
import type { Thread } from '../../thread/thread.ts';
import type { EngineRefused } from './engine-refused.ts';
import type { OpenedThread } from './open-thread.ts';
import type { ThreadRequest } from './thread-request.ts';

/** As much of the engine as opens threads. */
interface Opener {
  readonly threads: readonly Thread[];
  start(request: ThreadRequest & { readonly cwd: string }): Promise<OpenedThread | EngineRefused>;
  resume(id: ThreadId, request: ThreadRequest): Promise<OpenedThread | EngineRefused>;
  fork(id: ThreadId, cut: ThreadCut, request: ThreadRequest): Promise<OpenedThread | EngineRefused>;
}

/** The engine as its threads know it. */
export function threadsPort(engine: Opener): Threads {
  return {
    get open() {
      return engine.threads.map(asOpen);
    },
    start: async (wanted) => given(await engine.start(wanted)),
    resume: async (id, wanted) => given(await engine.resume(id, wanted)),
    fork: async (id, cut, wanted) => given(await engine.fork(id, cut, wanted)),
  };
}

function given(opened: OpenedThread | EngineRefused): OpenThread | ThreadRefused {
  return opened.kind === 'refused' ? opened : asOpen(opened.thread);
}

function asOpen(thread: Thread): OpenThread {
  return { kind: 'thread', id: thread.id, run: (turn) => thread.run(turn), close: () => thread.close() };
}
