import { join } from 'node:path';
import type { ThreadChange } from '../ports/thread-directory.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { openThreadIndex } from './index/open-index.ts';
import { RolloutFiles } from './rollout-files.ts';
import type { HomeParts } from './find/names.ts';
import { appendThreadName, threadNames } from './find/thread-names.ts';

export interface FollowingParts extends HomeParts {
  /** Where Codex keeps its index. */
  readonly codexIndexFolder: string;
}

/** Sets right what stands about threads beside their files: names of deleted ones, our index and that of Codex. */
export async function followChanges(
  options: FollowingParts,
  changes: readonly ThreadChange[],
): Promise<readonly Outcome[]> {
  const deleted = changes.filter(({ kind }) => kind === 'deleted');
  const problems: (Outcome | undefined)[] = [];
  if (deleted.length > 0) {
    const names = await threadNames(options.files, options.home);
    for (const { id } of deleted) if (names.has(id)) problems.push(await appendThreadName(options, id, ''));
  }
  problems.push(await tellCodex(options, changes));
  if (deleted.length > 0) await (await openThreadIndex(options)).forgetLost();
  return problems.filter((problem) => problem !== undefined);
}

/**
 * Codex keeps a row per thread that says which file is the thread's, and does not look for a newer one. So where it has
 * a row already, the row is set right; rows that are missing Codex makes by itself. The files are the truth: if this
 * fails, there is something to report, and nothing is lost.
 */
async function tellCodex(parts: FollowingParts, changes: readonly ThreadChange[]): Promise<Outcome | undefined> {
  // The file whose rows Codex believes before it looks at the folders.
  const path = join(parts.codexIndexFolder, 'state_5.sqlite');
  if (!process.getBuiltinModule('node:fs').existsSync(path)) return undefined;
  const statements: Statement[] = [];
  for (const change of changes) statements.push(...(await statementsFor(parts, change)));
  if (statements.length === 0) return undefined;
  try {
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    const database = new DatabaseSync(path, { timeout: 5000 });
    try {
      for (const [sql, ...values] of statements) database.prepare(sql).run(...values);
    } finally {
      database.close();
    }
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      code: 'codex-index-stale',
      message: `Capstan could not update the index of Codex, ${path}: ${reason}.`,
      next: 'Capstan does not need it. If Codex shows old data for the thread, quit Codex and try again.',
    };
  }
}

type Statement = readonly [sql: string, ...values: (string | number | null)[]];

async function statementsFor(
  { files, home, clock }: FollowingParts,
  change: ThreadChange,
): Promise<readonly Statement[]> {
  if (change.kind === 'deleted') return [['DELETE FROM threads WHERE id = ?', change.id]];
  if (change.kind === 'named') {
    const sql = `UPDATE threads SET name = CASE history_mode WHEN 'paginated' THEN ?1 ELSE name END,
       title = CASE history_mode WHEN 'paginated' THEN title ELSE ?1 END WHERE id = ?2`;
    return [[sql, change.name, change.id]];
  }
  const current = await new RolloutFiles(files, home).current(change.id);
  // Another program may have moved or removed it since; then that one has updated Codex.
  if (current.kind === 'refused') return [];
  const sql = 'UPDATE threads SET rollout_path = ?, archived = ?, archived_at = ? WHERE id = ?';
  const archived = change.kind === 'archived' ? [1, Math.floor(clock.now() / 1000)] : [0, null];
  return [[sql, current.location, ...archived, change.id]];
}
