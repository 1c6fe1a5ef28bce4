import type { OpenThread, Threads, WantedThread } from '../../ports/threads.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { ThreadCut } from '../../protocol/thread-cut.ts';
import type { Thread } from '../../thread/thread.ts';
import { defined } from '../../protocol/defined.ts';
import type { EngineRefused } from './engine-refused.ts';
import type { OpenedThread } from './open-thread.ts';
import type { ThreadRequest } from './thread-request.ts';

/** What of the engine it needs. */
interface ThreadOpener {
  readonly threads: readonly Thread[];
  start(request: ThreadRequest & { readonly cwd: string }): Promise<OpenedThread | EngineRefused>;
  resume(id: ThreadId, request: ThreadRequest): Promise<OpenedThread | EngineRefused>;
  fork(id: ThreadId, cut: ThreadCut, request: ThreadRequest): Promise<OpenedThread | EngineRefused>;
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
    start: async ({ cwd, ...wanted }) => given(await engine.start({ cwd, ...requestOf(wanted) })),
    resume: async (id, wanted) => given(await engine.resume(id, requestOf(wanted))),
    fork: async (id, cut, wanted) => given(await engine.fork(id, cut, requestOf(wanted))),
  };
}

/** The policy of a call bounds the thread for as long as the call has it open. */
function requestOf({ approvals: heldApprovals, ...wanted }: WantedThread): ThreadRequest {
  return { ...wanted, ...defined({ heldApprovals }) };
}
