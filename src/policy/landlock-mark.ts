/**
 * Two hard limits that mean nothing to commands. The helper that becomes a command under Landlock lowers them, so that
 * engines find this process, and all that it starts, whatever they do since.
 */
export interface MarkLimits {
  /** Bytes in message queues. */
  readonly queues: number;
  /** Microseconds under a realtime schedule. */
  readonly time: number;
}

const mostMark = 65_536;
const limitSum = 2 ** 40;

/** `mark`: the number of a home, from 1 to 65,536; 0 where the home is missing. */
export function limitsOfMark(mark: number): MarkLimits {
  return { queues: mark, time: limitSum - mark };
}

/**
 * True for the limits of a process that Landlock may hold for the home. A command can lower its limits further and never
 * raise them, so a smaller sum may be of any home.
 */
export function mayHaveMark({ queues, time }: MarkLimits, mark: number): boolean {
  const isOfOther = queues + time === limitSum && ![0, mark].includes(queues);
  return queues <= mostMark && time <= limitSum && !isOfOther;
}
