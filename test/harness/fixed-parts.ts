import type { Clock, IdSource } from '../../src/ports/system.ts';
import type { ThreadRefused, Threads } from '../../src/ports/threads.ts';

/** Nothing in a test takes so long: a caller that waits for it waits for something else to end first. */
const deadline = 300_000;

/** Time that moves by one second with each look at it, and never makes a caller wait. Deadlines do not come. */
export function steppingClock(): Clock {
  let now = Date.UTC(2026, 10, 15);
  return {
    now: () => (now += 1000),
    sleep: (milliseconds, signal) =>
      new Promise((resolve) => {
        if (milliseconds < deadline) setImmediate(resolve);
        else signal?.addEventListener('abort', () => resolve(), { once: true });
      }),
  };
}

/** Ids in order of their making. */
export function countingIds(start: number): IdSource {
  let count = start * 0x10000;
  return {
    uuid() {
      const digits = (++count).toString(16).padStart(12, '0');
      return `01a1dcd3-0000-7000-8000-${digits}`;
    },
  };
}

const refused = (): Promise<ThreadRefused> =>
  Promise.resolve({ kind: 'refused', outcome: { code: 'no-engine', message: 'There is no engine.', next: '' } });

/** For a thread that has no engine around it. */
export const noThreads: Threads = { open: [], start: refused, resume: refused, fork: refused };
