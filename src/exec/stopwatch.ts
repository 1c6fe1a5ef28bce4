import type { Clock } from '../ports/clock.ts';
import type { Pauses } from '../ports/spawn.ts';

export interface Stopwatch {
  /** Milliseconds since it was started, in which pauses do not count. */
  elapsed(): number;
  end(): void;
}

/** How long a command worked: it did not while the user was asked. */
export function startStopwatch(clock: Pick<Clock, 'now'>, pauses: Pauses | undefined): Stopwatch {
  let counted = 0;
  let runsSince = pauses?.isPaused === true ? undefined : clock.now();
  const elapsed = (): number => counted + (runsSince === undefined ? 0 : Math.max(0, clock.now() - runsSince));
  const ended = pauses?.watch((isPaused) => {
    counted = elapsed();
    runsSince = isPaused ? undefined : clock.now();
  });
  return { elapsed, end: () => ended?.() };
}
