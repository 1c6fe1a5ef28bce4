import type { DatabaseSync } from 'node:sqlite';
import { defined } from '../../protocol/defined.ts';
import { parseThreadId, type ThreadId } from '../../protocol/ids.ts';
import { parseJsonObject } from '../../protocol/json.ts';
import type { ThreadQuery } from '../../protocol/thread-summary.ts';
import { fileName } from './look-around.ts';
import type { ReadSummary } from './thread-fold.ts';
import type { PageEnd } from './thread-query.ts';

/** The file of a thread that counts, as it was when it was last looked at. */
export interface ListedFile {
  readonly name: string;
  /** In the home. */
  readonly path: string;
  readonly thread: ThreadId;
  readonly archived: boolean;
  readonly size: number;
  readonly mtime: number;
  readonly updated: number;
  /** What was read in it, if it has not changed since. */
  readonly summary?: ReadSummary;
}

export interface CandidateRequest {
  readonly query: ThreadQuery;
  readonly after: PageEnd | undefined;
  /** Only threads in which a message is so. */
  readonly said?: { readonly sql: string; readonly values: readonly string[] };
}

const columns = `files.name, files.folder, files.thread, files.archived, files.compressed, files.size, files.mtime,
  files.updated, CASE WHEN threads.size = files.size AND threads.mtime = files.mtime THEN threads.summary END AS summary`;

/** In the order of the list, some rows at a time: the caller stops when a page is full. */
export function* candidatesAfter(database: DatabaseSync, request: CandidateRequest): Generator<ListedFile> {
  const { query, said } = request;
  const time = query.sort === 'updated' ? 'files.updated' : 'coalesce(threads.created, 0)';
  const spoken = said === undefined ? '' : `AND threads.id IN (SELECT messages.thread FROM messages WHERE ${said.sql})`;
  const select = database.prepare(
    `SELECT ${columns}, ${time} AS time FROM files LEFT JOIN threads USING (name)
     WHERE files.chosen AND files.archived = ? AND (${time}, files.thread) < (?, ?) ${spoken}
     ORDER BY ${time} DESC, files.thread DESC LIMIT ?`,
  );
  let { time: before, id }: { time: number; id: string } = request.after ?? { time: Number.MAX_SAFE_INTEGER, id: '' };
  const archived = Number(query.archived === true);
  for (;;) {
    const rows = select.all(archived, before, id, ...(said?.values ?? []), query.limit + 1);
    for (const row of rows) yield candidate(row);
    const last = rows.at(-1);
    if (last === undefined || rows.length <= query.limit) return;
    [before, id] = [last['time'] as number, last['thread'] as string];
  }
}

export function chosenFile(database: DatabaseSync, id: ThreadId): ListedFile | undefined {
  const select = `SELECT ${columns} FROM files LEFT JOIN threads USING (name) WHERE files.chosen AND files.thread = ?`;
  const row = database.prepare(select).get(id);
  return row === undefined ? undefined : candidate(row);
}

/** Files that count and are not known as they are, newest first. */
export function staleFiles(database: DatabaseSync): readonly ListedFile[] {
  const select = `SELECT ${columns} FROM files LEFT JOIN threads USING (name)
    WHERE files.chosen AND (threads.size IS NOT files.size OR threads.mtime IS NOT files.mtime)
    ORDER BY files.updated DESC`;
  return database.prepare(select).all().map(candidate);
}

function candidate(row: Readonly<Record<string, unknown>>): ListedFile {
  const { name, folder, thread, archived, compressed, size, mtime, updated, summary } = row;
  // A row that was damaged is read again.
  const read = typeof summary === 'string' ? parseJsonObject(summary) : undefined;
  return {
    name: name as string,
    path: `${folder as string}/${fileName(name as string, compressed === 1)}`,
    thread: parseThreadId(thread as string) ?? (thread as ThreadId),
    archived: archived === 1,
    size: size as number,
    mtime: mtime as number,
    updated: updated as number,
    ...defined({ summary: read as ReadSummary | undefined }),
  };
}
