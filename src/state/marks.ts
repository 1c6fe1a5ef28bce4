/**
 * Where a rollback can go to, newest first. A value like all of the state: a longer list points at the shorter one, so
 * that adding costs the same however many there are.
 */
export interface Marks<Mark> {
  readonly length: number;
  readonly newest?: Marked<Mark>;
}

interface Marked<Mark> {
  readonly mark: Mark;
  readonly older: Marks<Mark>;
}

export const noMarks: Marks<never> = { length: 0 };

export function addMark<Mark>(older: Marks<Mark>, mark: Mark): Marks<Mark> {
  return { length: older.length + 1, newest: { mark, older } };
}

/** The mark that so many turns are taken back to, and those before it; the oldest one if there are not as many. */
export function markBefore<Mark>({ length, newest }: Marks<Mark>, count: number): Marked<Mark> | undefined {
  const target = Math.max(0, length - count);
  let at = newest;
  while (at !== undefined && at.older.length > target) at = at.older.newest;
  // Half a turn cannot be taken back.
  return at?.older.length === target ? at : undefined;
}
