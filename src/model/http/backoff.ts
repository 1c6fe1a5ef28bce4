const firstDelayMs = 200;
const longestDelayMs = 60_000;

/**
 * How long to wait before retry number `attempt`, counted from 1: 200 ms, doubled each time, at most a minute, and up
 * to a tenth more or less so that clients that failed together do not come back together.
 * `random` gives a number from 0 up to but not including 1.
 */
export function delay(attempt: number, random: () => number): number {
  const middle = Math.min(firstDelayMs * 2 ** (attempt - 1), longestDelayMs);
  return middle * (0.9 + 0.2 * random());
}
