import type { OutputPauses } from '../../ports/commands.ts';
import type { Clock } from '../../ports/system.ts';

export type Stopwatch = ReturnType<typeof startStopwatch>;

export function startStopwatch(clock: Pick<Clock, 'now'>, pauses: OutputPauses | undefined) {
  let counted = 0;
  let runsSince = pauses?.isPaused === true ? undefined : clock.now();
  /** Milliseconds since the start, without pauses. */
  const elapsed = (): number => counted + (runsSince === undefined ? 0 : Math.max(0, clock.now() - runsSince));
  const ended = pauses?.watch((isPaused) => {
    counted = elapsed();
    runsSince = isPaused ? undefined : clock.now();
  });
  return { elapsed, end: () => ended?.() };
}

export const sleepFor = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

export async function settlesWithin(event: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(late.resolve, milliseconds, false);
  try {
    return await Promise.race([event.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

const longestTimerMs = 2 ** 31 - 1;

/** Calls `reached` once after that time, not counting pauses. Returns a function that cancels it. */
export function startTimeLimit(
  milliseconds: number,
  pauses: OutputPauses | undefined,
  reached: () => void,
): () => void {
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
