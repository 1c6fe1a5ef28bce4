import type { ChangedFile } from './turn-item.ts';

/** What a side conversation of the user changed in files, as far as its patches say it. */
export interface FilesChangedBeside {
  /** Each once, by what became of it. */
  readonly changes: readonly ChangedFile[];
  /** How many are not named. Absent: none. */
  readonly more?: number;
  /** How many commands it ran: nothing says what those changed. Absent: none. */
  readonly commands?: number;
}
