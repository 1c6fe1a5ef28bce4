/**
 * Decides what a crash leaves of something that was never made safe. The answer is a number from 0 to `most`:
 * for a name 0 (gone) or 1 (still there); for a name that was moved or removed 0 (as before) or 1 (done); for a file
 * how many of its unsynced steps reached the disk, in order, where each appended byte and each truncation is one step.
 */
export type CrashChoice = (about: {
  readonly path: string;
  readonly what: 'name' | 'bytes' | 'change';
  readonly most: number;
}) => number;

/** The answer of the choice, if it is one that may be given. */
export function choiceAbout(
  choice: CrashChoice,
  path: string,
  what: Parameters<CrashChoice>[0]['what'],
  most: number,
): number {
  const chosen = choice({ path, what, most });
  if (!Number.isInteger(chosen) || chosen < 0 || chosen > most) {
    throw new RangeError(`a crash choice about '${path}' must be a whole number from 0 to ${most}, not ${chosen}`);
  }
  return chosen;
}
