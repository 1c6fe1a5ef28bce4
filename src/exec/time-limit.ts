import type { Pauses } from '../ports/spawn.ts';

const longestTimerMs = 2 ** 31 - 1;

/** Calls once when so much time has passed, in which pauses do not count. Gives what ends it. */
export function startTimeLimit(milliseconds: number, pauses: Pauses | undefined, reached: () => void): () => void {
  let left = Math.min(milliseconds, longestTimerMs);
  let timer: NodeJS.Timeout | undefined;
  let startedAt = 0;
  const run = (): void => {
    startedAt = performance.now();
    timer = setTimeout(reached, left);
  };
  const hold = (): void => {
    if (timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    left = Math.max(0, left - (performance.now() - startedAt));
  };
  const ended = pauses?.watch((isPaused) => {
    if (isPaused) hold();
    else if (timer === undefined) run();
  });
  if (pauses?.isPaused !== true) run();
  return () => {
    ended?.();
    clearTimeout(timer);
  };
}
