import type { Pauses } from '../../ports/spawn.ts';

/** Pauses that last as long as something is waited for. */
export interface Pausing extends Pauses {
  /** The same promise; the pause ends with it. */
  during<Value>(waited: Promise<Value>): Promise<Value>;
}

export function createPausing(): Pausing {
  const watchers = new Set<(isPaused: boolean) => void>();
  let waiting = 0;
  const add = (change: 1 | -1): void => {
    const before = waiting > 0;
    waiting += change;
    if (before !== waiting > 0) for (const watcher of watchers) watcher(waiting > 0);
  };
  return {
    get isPaused() {
      return waiting > 0;
    },
    watch(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    during(waited) {
      add(1);
      return waited.finally(() => add(-1));
    },
  };
}
