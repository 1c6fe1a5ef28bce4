import type { WorkProgress } from '../../../ports/thread-store.ts';
import { parseThreadId, type ThreadId } from '../../../protocol/ids.ts';
import { parseJsonObject } from '../../../protocol/json.ts';
import type { ThreadQuery } from '../../../protocol/thread.ts';
import { fileSystem as fs, isMissing } from '../../disk/file-system.ts';
import { newestFirst } from '../files/find-threads.ts';
import { parseRolloutName, type RolloutName } from '../files/rollout-paths.ts';
import { inTransaction } from './database.ts';
import type { PageEnd, SummaryFromLines } from './thread-summary.ts';
import type { Stats } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';

export interface ScanOptions {
  readonly home: string;
  readonly now: () => number;
  /** Milliseconds for checking known files, newest first. Undefined: all are checked. */
  readonly budget: number | undefined;
  readonly progress: WorkProgress | undefined;
}

/** A folder's time may lag behind its changes by this much. */
const settlingMs = 3000;

/** Updates the tables. With a budget, it may notice only later that old files have grown. */
export async function scanFolders(database: DatabaseSync, options: ScanOptions): Promise<void> {
  const { home, now, budget, progress } = options;
  const began = now();
  const changes: (() => void)[] = [];
  const seen = new Set<string>();
  const write = fileWriter(database);
  const folders = database.prepare('SELECT path, mtime, settled FROM folders').all();
  const known = new Map(folders.map((row) => [row['path'] as string, row]));
  for (const folder of foldersIn(home)) {
    const stat = statOf(join(home, folder));
    if (stat === undefined) continue;
    const before = known.get(folder);
    known.delete(folder);
    if (before?.['mtime'] === stat.mtimeMs && before['settled'] === 1) continue;
    const found = rolloutsIn(home, folder);
    const names = database.prepare('SELECT name, compressed FROM files WHERE folder = ?').all(folder);
    const had = new Map(names.map((row) => [row['name'] as string, row['compressed'] === 1]));
    for (const name of had.keys()) if (!found.has(name)) changes.push(() => write.remove(name, folder));
    for (const [name, file] of found) {
      if (had.get(name) === file.compressed) continue;
      seen.add(name);
      const stat = statOf(join(home, folder, fileNameOnDisk(name, file.compressed)));
      if (stat !== undefined) changes.push(() => write.put(name, folder, file, stat));
    }
    const settled = Number(began - stat.mtimeMs > settlingMs);
    if (before?.['mtime'] !== stat.mtimeMs || before['settled'] !== settled)
      changes.push(() => write.folder(folder, stat.mtimeMs, settled));
  }
  for (const folder of known.keys()) changes.push(() => write.removeFolder(folder));
  const rows = database.prepare('SELECT name, folder, compressed, size, mtime FROM files ORDER BY updated DESC');
  rows.setReturnArrays(true);
  let count = 0;
  for (const row of rows.iterate() as unknown as Iterable<readonly [string, string, number, number, number]>) {
    const [name, folder, compressed, size, mtime] = row;
    if (seen.has(name)) continue;
    if (budget !== undefined && ++count % 64 === 0 && now() - began > budget) break;
    // Runs thousands of times: a path join would cost as much as the check.
    const stat = statOf(`${home}/${folder}/${fileNameOnDisk(name, compressed === 1)}`);
    if (stat !== undefined && (stat.size !== size || stat.mtimeMs !== mtime))
      changes.push(() => write.stat(name, stat));
  }
  if (changes.length === 0) return;
  const writeAll = (): void => {
    for (const change of changes) change();
    write.finish();
  };
  await inTransaction(database, writeAll, progress);
}

/** The real file name: the table omits the compression suffix. */
export const fileNameOnDisk = (name: string, compressed: boolean): string => (compressed ? `${name}.zst` : name);

/** Checks one file again; true when it has changed. */
export async function refreshListedFile(
  database: DatabaseSync,
  home: string,
  file: Readonly<{ name: string; path: string; size: number; mtime: number }>,
): Promise<boolean> {
  const stat = statOf(join(home, file.path));
  if (stat?.size === file.size && stat.mtimeMs === file.mtime) return false;
  const write = fileWriter(database);
  await inTransaction(database, () => {
    if (stat === undefined) write.remove(file.name, file.path.slice(0, file.path.lastIndexOf('/')));
    else write.stat(file.name, stat);
    write.finish();
  });
  return true;
}

function fileWriter(database: DatabaseSync) {
  const removeFile = database.prepare('DELETE FROM files WHERE name = ? AND folder = ? RETURNING thread');
  const removeFiles = database.prepare('DELETE FROM files WHERE folder = ? RETURNING thread');
  const putFile = database.prepare(
    `INSERT INTO files (name, folder, thread, rollout, archived, compressed, size, mtime, updated, hollow, chosen)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0)
     ON CONFLICT (name) DO UPDATE SET folder = excluded.folder, archived = excluded.archived,
       compressed = excluded.compressed, size = excluded.size, mtime = excluded.mtime, updated = excluded.updated, hollow = 0
     WHERE excluded.archived <= files.archived`,
  );
  const putStat = database.prepare(
    'UPDATE files SET size = ?, mtime = ?, updated = ?, hollow = 0 WHERE name = ? RETURNING thread',
  );
  const putFolder = database.prepare('INSERT OR REPLACE INTO folders (path, mtime, settled) VALUES (?, ?, ?)');
  const touched = new Set<string>();
  const touch = (rows: readonly Readonly<Record<string, unknown>>[]): void =>
    rows.forEach(({ thread }) => touched.add(thread as string));
  let removed = false;
  return {
    remove(name: string, folder: string): void {
      touch(removeFile.all(name, folder));
      removed = true;
    },
    removeFolder(path: string): void {
      touch(removeFiles.all(path));
      database.prepare('DELETE FROM folders WHERE path = ?').run(path);
      removed = true;
    },
    put(name: string, folder: string, file: RolloutName, { size, mtimeMs }: Stats): void {
      const [archived, compressed] = [Number(folder === archive), Number(file.compressed)];
      const { threadId, rolloutId } = file;
      putFile.run(name, folder, threadId, rolloutId, archived, compressed, size, mtimeMs, Math.floor(mtimeMs));
      touched.add(threadId);
    },
    stat(name: string, { size, mtimeMs }: Stats): void {
      touch(putStat.all(size, mtimeMs, Math.floor(mtimeMs), name));
    },
    folder(path: string, mtime: number, settled: number): void {
      putFolder.run(path, mtime, settled);
    },
    /** Also deletes what was read from files that are gone. */
    finish(): void {
      touched.forEach(fileChooser(database));
      if (removed) database.exec(forgetLost);
    },
  };
}

/** One file per thread counts: active before archived, then the newest that is not hollow. */
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

const forgetLost = `
DELETE FROM messages WHERE thread IN (SELECT id FROM threads WHERE name NOT IN (SELECT name FROM files));
DELETE FROM threads WHERE name NOT IN (SELECT name FROM files);
`;

const archive = 'archived_sessions';

function foldersIn(home: string): readonly string[] {
  let folders = ['sessions'];
  for (const pattern of [/^\d{4}$/, /^\d\d$/, /^\d\d$/]) {
    folders = folders.flatMap((parent) =>
      namesIn(join(home, parent)).flatMap((name) => (pattern.test(name) ? [`${parent}/${name}`] : [])),
    );
  }
  return [...folders, archive];
}

/** By name without the compression suffix. Plain files hide compressed ones. */
function rolloutsIn(home: string, folder: string): ReadonlyMap<string, RolloutName> {
  const found = new Map<string, RolloutName>();
  for (const text of namesIn(join(home, folder))) {
    const parsed = parseRolloutName(text);
    if (parsed === undefined) continue;
    const name = parsed.compressed ? text.slice(0, -'.zst'.length) : text;
    if (!parsed.compressed || !found.has(name)) found.set(name, parsed);
  }
  return found;
}

function namesIn(path: string): readonly string[] {
  try {
    return fs.readdirSync(path);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

const statOf = (path: string): Stats | undefined => fs.statSync(path, { throwIfNoEntry: false });

export interface ListedFile {
  readonly name: string;
  readonly path: string;
  readonly thread: ThreadId;
  readonly archived: boolean;
  readonly size: number;
  readonly mtime: number;
  readonly updated: number;
  readonly summary?: SummaryFromLines;
}

export interface CandidateRequest {
  readonly query: ThreadQuery;
  readonly after: PageEnd | undefined;
  /** Only threads with a matching message. */
  readonly said?: { readonly sql: string; readonly values: readonly string[] };
}

const columns = `files.name, files.folder, files.thread, files.archived, files.compressed, files.size, files.mtime,
  files.updated, CASE WHEN threads.size = files.size AND threads.mtime = files.mtime THEN threads.summary END AS summary`;

/** In list order, a few rows at a time: the caller stops when a page is full. */
export function* listedFilesAfter(database: DatabaseSync, request: CandidateRequest): Generator<ListedFile> {
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

/** Authoritative files that are unknown or have changed, newest first. */
export function staleFiles(database: DatabaseSync): readonly ListedFile[] {
  const select = `SELECT ${columns} FROM files LEFT JOIN threads USING (name)
    WHERE files.chosen AND (threads.size IS NOT files.size OR threads.mtime IS NOT files.mtime)
    ORDER BY files.updated DESC`;
  return database.prepare(select).all().map(candidate);
}

function candidate(row: Readonly<Record<string, unknown>>): ListedFile {
  const { name, folder, thread, archived, compressed, size, mtime, updated, summary } = row;
  // A damaged row is read again.
  const read = typeof summary === 'string' ? parseJsonObject(summary) : undefined;
  return {
    name: name as string,
    path: `${folder as string}/${fileNameOnDisk(name as string, compressed === 1)}`,
    thread: parseThreadId(thread as string) ?? (thread as ThreadId),
    archived: archived === 1,
    size: size as number,
    mtime: mtime as number,
    updated: updated as number,
    summary: read as SummaryFromLines | undefined,
  };
}
