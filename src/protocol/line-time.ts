import type { Line } from './line.ts';

/** When a line was written, in milliseconds since the epoch. Undefined: its time does not read. */
export function lineTime({ timestamp }: Pick<Line, 'timestamp'>): number | undefined {
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? undefined : time;
}
