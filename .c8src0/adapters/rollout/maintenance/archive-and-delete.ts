import type { HeldThread, RolloutStore, ThreadChange } from '../../../ports/thread-store.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import type { Outcome, Refusal } from '../../../protocol/outcome.ts';
import type { HomePorts } from '../files/rollout-paths.ts';
import { appendThreadName, threadNames } from '../files/thread-names.ts';
import { openThreadIndex } from '../index/open-thread-index.ts';
import { RolloutFiles } from '../store/rollout-files.ts';
import { join } from 'node:path';

export interface ThreadArchived {
  readonly kind: 'archived' | 'unarchived';
  readonly id: ThreadId;
  readonly location: string;
}

export interface ThreadDeleted {
  readonly kind: 'deleted';
  readonly ids: readonly ThreadId[];
  readonly locations: readonly string[];
}

/** Archives a thread: it is no longer offered, can be read and forked, and can be restored. */
export const archiveThread = async (store: RolloutStore, id: ThreadId): Promise<ThreadArchived | Refusal> =>
  holding(store, id, async (held) => {
    if (held.current.archived) return already(id, 'archived');
    await held.archive();
    return moved(store, id, 'archived');
  });

export const unarchiveThread = async (store: RolloutStore, id: ThreadId): Promise<ThreadArchived | Refusal> =>
  holding(store, id, async (held) => {
    const state = await held.unarchive();
    if (!held.current.archived && state === 'active') return already(id, 'active');
    return moved(store, id, 'unarchived');
  });

/** Deletes a thread permanently. If other threads continue from it, refuses, or with `force` deletes them as well. */
export async function deleteThread(
  store: RolloutStore,
  id: ThreadId,
  { force }: { readonly force: boolean },
): Promise<ThreadDeleted | Refusal> {
  const held: HeldThread[] = [];
  try {
    const ids = [id];
    for (const next of ids) {
      const thread = await store.hold(next);
      if (thread.kind === 'refused') return thread;
      held.push(thread);
      const forks = await thread.forks();
      if (forks.length > 0 && !force) return referred(id, forks);
      for (const fork of forks) if (!ids.includes(fork)) ids.push(fork);
    }
    const locations: string[] = [];
    // Forks are deleted first, so that a crash never leaves a fork without its beginning.
    for (const thread of held.toReversed()) locations.push(...(await thread.delete()));
    return { kind: 'deleted', ids, locations };
  } finally {
    for (const thread of held) await thread.release();
  }
}

async function holding<Result>(store: RolloutStore, id: ThreadId, run: (held: HeldThread) => Promise<Result>) {
  const held = await store.hold(id);
  return held.kind === 'refused' ? held : run(held).finally(() => held.release());
}

async function moved(store: RolloutStore, id: ThreadId, kind: ThreadArchived['kind']) {
  const current = await store.current(id);
  return current.kind === 'refused' ? current : { kind, id, location: current.location };
}

function already(id: ThreadId, what: 'archived' | 'active'): Refusal {
  const message = what === 'archived' ? `Thread ${id} is already archived.` : `Thread ${id} is not archived.`;
  return { kind: 'refused', code: `thread-${what}`, message, next: 'Nothing has changed.' };
}

function referred(id: ThreadId, forks: readonly ThreadId[]): Refusal {
  const many = forks.length > 5 ? `${forks.slice(0, 5).join(', ')} and ${forks.length - 5} more` : forks.join(', ');
  const others = forks.length === 1 ? 'Another thread continues' : `${forks.length} other threads continue`;
  const their = forks.length === 1 ? 'its' : 'their';
  const message = `${others} from thread ${id} and would lose ${their} beginning: ${many}.`;
  const next = `Archive it instead (\`capstan threads archive ${id}\`), so that its forks keep working. Or delete the forks first, or everything together with --force.`;
  return { kind: 'refused', code: 'thread-referenced', message, next };
}

export type ThreadChangePorts = HomePorts & { readonly codexIndexFolder: string };

/** Updates data about threads outside their files: names of deleted ones, our index and that of Codex. */
export async function applyThreadChanges(options: ThreadChangePorts, changes: readonly ThreadChange[]) {
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
 * Codex keeps a row per thread with its file and does not look for a newer one, so an existing row is updated; Codex
 * adds missing rows itself. The files are authoritative: a failure here is reported, and nothing is lost.
 */
async function tellCodex(parts: ThreadChangePorts, changes: readonly ThreadChange[]): Promise<Outcome | undefined> {
  // Codex trusts the rows of this file before it looks at the folders.
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
    const message = `Capstan could not update the index of Codex, ${path}: ${reason}.`;
    const next = 'Capstan does not need it. If Codex shows old data for the thread, quit Codex and try again.';
    return { code: 'codex-index-stale', message, next };
  }
}

type Statement = readonly [sql: string, ...values: (string | number | null)[]];

async function statementsFor(
  { files, home, clock }: ThreadChangePorts,
  change: ThreadChange,
): Promise<readonly Statement[]> {
  if (change.kind === 'deleted') return [['DELETE FROM threads WHERE id = ?', change.id]];
  if (change.kind === 'named') {
    const sql = `UPDATE threads SET name = CASE history_mode WHEN 'paginated' THEN ?1 ELSE name END,
       title = CASE history_mode WHEN 'paginated' THEN title ELSE ?1 END WHERE id = ?2`;
    return [[sql, change.name, change.id]];
  }
  const current = await new RolloutFiles(files, home).current(change.id);
  // Another program may have moved or removed it since; that program has then updated Codex.
  if (current.kind === 'refused') return [];
  const sql = 'UPDATE threads SET rollout_path = ?, archived = ?, archived_at = ? WHERE id = ?';
  const archived = change.kind === 'archived' ? [1, Math.floor(clock.now() / 1000)] : [0, null];
  return [[sql, current.location, ...archived, change.id]];
}
