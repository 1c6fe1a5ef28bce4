import { join } from 'node:path';
import type { ThreadId } from '../protocol/ids.ts';
import type { Outcome } from '../protocol/outcome.ts';

/** What has become of a thread, for programs that look it up in the index of Codex. */
export type CodexIndexChange =
  | { readonly kind: 'moved'; readonly id: ThreadId; readonly path: string; readonly archivedAt?: number }
  | { readonly kind: 'named'; readonly id: ThreadId; readonly name: string }
  | { readonly kind: 'deleted'; readonly id: ThreadId };

/** The file whose rows Codex believes before it looks at the folders. */
const indexFile = 'state_5.sqlite';
const busyMs = 5000;

export function hasCodexIndex(folder: string): boolean {
  return process.getBuiltinModule('node:fs').existsSync(join(folder, indexFile));
}

/**
 * Codex keeps a row per thread that says which file is the thread's, and does not look for a newer one. So where it has
 * a row already, the row is set right; rows that are missing Codex makes by itself. The files are the truth: if this
 * fails, there is something to report, and nothing is lost.
 */
export function tellCodexIndex(folder: string, changes: readonly CodexIndexChange[]): Outcome | undefined {
  const path = join(folder, indexFile);
  if (changes.length === 0 || !hasCodexIndex(folder)) return undefined;
  try {
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    const database = new DatabaseSync(path, { timeout: busyMs });
    try {
      for (const change of changes) {
        const [statement, ...values] = statementFor(change);
        database.prepare(statement).run(...values);
      }
    } finally {
      database.close();
    }
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      code: 'codex-index-stale',
      message: `The index of Codex, ${path}, could not be updated: ${reason}.`,
      next: 'Capstan does not need it. If Codex shows the thread as it was, try again when Codex has ended.',
    };
  }
}

function statementFor(change: CodexIndexChange): readonly [string, ...(string | number | null)[]] {
  switch (change.kind) {
    case 'moved': {
      const { id, path, archivedAt } = change;
      const sql = 'UPDATE threads SET rollout_path = ?, archived = ?, archived_at = ? WHERE id = ?';
      const seconds = archivedAt === undefined ? null : Math.floor(archivedAt / 1000);
      return [sql, path, archivedAt === undefined ? 0 : 1, seconds, id];
    }
    case 'named':
      return [
        `UPDATE threads SET name = CASE history_mode WHEN 'paginated' THEN ?1 ELSE name END,
           title = CASE history_mode WHEN 'paginated' THEN title ELSE ?1 END WHERE id = ?2`,
        change.name,
        change.id,
      ];
    case 'deleted':
      return ['DELETE FROM threads WHERE id = ?', change.id];
  }
}
