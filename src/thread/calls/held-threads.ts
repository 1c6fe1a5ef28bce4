import type { Policy } from '../../envelope/policy.ts';
import type { Threads } from '../../ports/threads.ts';

/** A thread that a call opens is held like the turn of the call, whichever tool opens it. */
export function heldThreads(threads: Threads, { approval, profile: permissionProfile }: Policy): Threads {
  const held = { approval, permissionProfile };
  return {
    get open() {
      return threads.open;
    },
    start: (wanted) => threads.start({ ...held, ...wanted }),
    resume: (id, wanted) => threads.resume(id, { ...held, ...wanted }),
    fork: (id, cut, wanted) => threads.fork(id, cut, { ...held, ...wanted }),
  };
}
