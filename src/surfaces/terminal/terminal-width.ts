/** A stream that may be a terminal. */
export interface SizedStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** The columns of a terminal. Undefined: it is none, or does not know its size, which it says as 0. */
export function terminalWidth({ columns = 0 }: SizedStream): number | undefined {
  return columns > 0 ? columns : undefined;
}
