import type { DatabaseSync } from 'node:sqlite';
import { newestFirst } from '../find/find-rollout.ts';
import { parseRolloutName } from '../find/names.ts';

/** Of each thread one file counts: an active one before the archive, and the newest that is not hollow. */
export function fileChooser(database: DatabaseSync): (thread: string) => void {
  const select = database.prepare('SELECT name, archived, hollow, chosen FROM files WHERE thread = ?');
  const mark = database.prepare('UPDATE files SET chosen = ? WHERE name = ?');
  return (thread) => {
    const rows = select.all(thread) as { name: string; archived: number; hollow: number; chosen: number }[];
    const files = rows.flatMap(({ name: text, archived, hollow, chosen }) => {
      const name = parseRolloutName(text);
      return name === undefined ? [] : [{ name, text, isHollow: hollow === 1, archived, was: chosen }];
    });
    const [first] = files
      .filter(({ isHollow }) => !isHollow)
      .toSorted((one, other) => one.archived - other.archived || newestFirst(one, other));
    for (const { text, was } of files) {
      const now = Number(text === first?.text);
      if (was !== now) mark.run(now, text);
    }
  };
}
