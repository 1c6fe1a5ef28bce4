import type { WorkProgress } from '../../../ports/thread-store.ts';
import { fileSystem as fs } from '../../disk/file-system.ts';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Version of the schema, also in the file name. A file with another number inside is rebuilt. 2: text that looks like
 * context is a message if the line says so. 3: turns are `TurnRecord`s. 5: a record tells whether its turn only
 * compacted. 6: goal status. 7: the review or command that began a thread.
 */
const schemaVersion = 7;
const indexPath = (home: string, version = schemaVersion): string => join(home, 'capstan', `threads-${version}.sqlite`);

/**
 * - `folders`, `files`: their state when a process last looked. `settled`: the time is old enough for every later
 *   change to show in it. `hollow`: the file has no thread. `chosen`: the one file that counts for a thread.
 * - `threads`: facts read from a file, how far it was read, and its size and time then.
 * - `messages`, `words`: the messages in a file.
 * - `reading`: when a process last began to read all unknown files.
 */
const schema = `
CREATE TABLE folders (path TEXT PRIMARY KEY, mtime REAL NOT NULL, settled INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
  name TEXT PRIMARY KEY, folder TEXT NOT NULL, thread TEXT NOT NULL, rollout TEXT NOT NULL, archived INTEGER NOT NULL,
  compressed INTEGER NOT NULL, size INTEGER NOT NULL, mtime REAL NOT NULL, updated INTEGER NOT NULL, hollow INTEGER NOT NULL,
  chosen INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX files_updated ON files (archived, updated, thread) WHERE chosen;
CREATE INDEX files_seen ON files (updated);
CREATE INDEX files_thread ON files (thread);
CREATE INDEX files_rollout ON files (rollout);
CREATE INDEX files_folder ON files (folder);
CREATE TABLE threads (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, mtime REAL NOT NULL, offset INTEGER NOT NULL,
  mark TEXT NOT NULL, created INTEGER NOT NULL, summary TEXT NOT NULL, fold TEXT NOT NULL
);
CREATE INDEX threads_created ON threads (created);
CREATE TABLE messages (
  id INTEGER PRIMARY KEY, thread INTEGER NOT NULL, turn INTEGER NOT NULL, role TEXT NOT NULL, text TEXT NOT NULL
);
CREATE INDEX messages_thread ON messages (thread, turn);
CREATE TABLE reading (begun INTEGER NOT NULL);
CREATE VIRTUAL TABLE words USING fts5(text, content='messages', content_rowid='id', tokenize='trigram');
INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
CREATE TRIGGER message_added AFTER INSERT ON messages BEGIN
  INSERT INTO words (rowid, text) VALUES (new.id, new.text);
END;
CREATE TRIGGER message_removed AFTER DELETE ON messages BEGIN
  INSERT INTO words (words, rowid, text) VALUES ('delete', old.id, old.text);
END;
PRAGMA user_version = ${schemaVersion};
`;

export const hasIndex = (home: string): boolean => fs.existsSync(indexPath(home));

/** Always gets an index: a broken file is rebuilt, or one is made in memory. `work` may be called more than once. */
export async function withDatabase<Result>(home: string, work: (database: DatabaseSync) => Promise<Result>) {
  const path = indexPath(home);
  if (!fs.existsSync(path)) removeOlder(home);
  let result = await attempt(() => openFile(path), work);
  if ('error' in result && isBroken(result.error) && moveAside(path))
    result = await attempt(() => openFile(path), work);
  if ('error' in result) result = await attempt(() => opened(':memory:'), work);
  if ('error' in result) throw result.error;
  return result.value;
}

/** Older files are unused and would keep text of deleted threads. */
function removeOlder(home: string): void {
  for (let version = 1; version < schemaVersion; version++) {
    try {
      for (const side of ['', '-wal', '-shm', '-journal'])
        fs.rmSync(`${indexPath(home, version)}${side}`, { force: true });
    } catch {
      // A disk that cannot be written: the new index is then made in memory.
    }
  }
}

async function attempt<Result>(open: () => Promise<DatabaseSync>, work: (database: DatabaseSync) => Promise<Result>) {
  let database: DatabaseSync | undefined;
  try {
    database = await open();
    return { value: await work(database) };
  } catch (error) {
    if (database !== undefined && sqliteCode(error) === undefined) throw error;
    return { error };
  } finally {
    if (database?.isOpen) database.close();
  }
}

/** Deletes everything. Deleting row by row would take longer than reading all threads again. */
export function emptyDatabase(database: DatabaseSync, progress?: WorkProgress): Promise<void> {
  const tables = ['words', 'messages', 'threads', 'files', 'folders', 'reading'];
  const anew = tables.map((name) => `DROP TABLE ${name};`).join('') + schema;
  return inTransaction(database, () => database.exec(anew), progress);
}

function openFile(path: string): Promise<DatabaseSync> {
  fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Created here, because SQLite would let every user read it. Its side files get the same mode.
  fs.closeSync(fs.openSync(path, 'a', 0o600));
  return opened(path);
}

async function opened(location: string): Promise<DatabaseSync> {
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(location, { timeout: busyMs });
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;');
    if (versionOf(database) !== schemaVersion) await inTransaction(database, () => makeTables(database));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Hides the warning of some versions of Node that `node:sqlite` is new. */
function loadSqlite(): typeof import('node:sqlite') {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

function makeTables(database: DatabaseSync): void {
  const version = versionOf(database);
  // Another process won the race.
  if (version === schemaVersion) return;
  const isEmpty = database.prepare('SELECT count(*) AS count FROM sqlite_schema').get()?.['count'] === 0;
  if (version !== 0 || !isEmpty) throw new OtherSchema();
  database.exec(schema);
}

class OtherSchema extends Error {}

const versionOf = (database: DatabaseSync): unknown => database.prepare('PRAGMA user_version').get()?.['user_version'];
const [generic, corrupt, notADatabase] = [1, 11, 26];
/** A missing table counts too: no other program writes there, and we only query what we made. */
const isBroken = (error: unknown): boolean =>
  error instanceof OtherSchema || [generic, corrupt, notADatabase].includes(sqliteCode(error) ?? 0);

/** Kept for users who want to investigate. All of it can be rebuilt. */
function moveAside(path: string): boolean {
  try {
    fs.renameSync(path, `${path}.broken`);
    for (const side of ['-wal', '-shm', '-journal']) fs.rmSync(`${path}${side}`, { force: true });
    return true;
  } catch {
    return false;
  }
}

const busyMs = 5000;
const pauseMs = 25;

/** Atomic. Other processes wait. SQLite's own waiting would block the process; this way, progress can be reported. */
export async function inTransaction(database: DatabaseSync, write: () => void, progress?: WorkProgress): Promise<void> {
  await begin(database, progress);
  try {
    write();
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

const busy = 5;

async function begin(database: DatabaseSync, progress: WorkProgress | undefined): Promise<void> {
  database.exec('PRAGMA busy_timeout = 0');
  try {
    for (let left = busyMs / pauseMs; ; left--) {
      try {
        return database.exec('BEGIN IMMEDIATE');
      } catch (error) {
        if (sqliteCode(error) !== busy || left <= 0) throw error;
        await progress?.('waiting');
        await pause(pauseMs);
      }
    }
  } finally {
    database.exec(`PRAGMA busy_timeout = ${busyMs}`);
  }
}

function sqliteCode(error: unknown): number | undefined {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code % 256 : undefined;
}
