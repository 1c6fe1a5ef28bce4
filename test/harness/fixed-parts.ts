import type { Clock } from '../../src/ports/clock.ts';
import type { Ids } from '../../src/ports/ids.ts';

/** Time that moves by one second with each look at it, and never makes anybody wait. */
export function steppingClock(): Clock {
  let now = Date.UTC(2026, 10, 15);
  return {
    now: () => (now += 1000),
    sleep: () => new Promise((resolve) => setImmediate(resolve)),
  };
}

/** Ids in order of their making. */
export function countingIds(start: number): Ids {
  let count = start * 0x10000;
  return {
    uuid() {
      const digits = (++count).toString(16).padStart(12, '0');
      return `01a1dcd3-0000-7000-8000-${digits}`;
    },
  };
}
