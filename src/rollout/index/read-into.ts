import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { errorCode } from '../../disk/file-system.ts';
import type { WorkProgress } from '../../ports/work-progress.ts';
import { parseJsonObject } from '../../protocol/json.ts';
import { Fault, type Outcome } from '../../protocol/outcome.ts';
import { isCompressed } from '../compressed/compressed-file.ts';
import type { ListedFile } from './candidates.ts';
import { inTransaction } from './in-transaction.ts';
import { fileChooser, fileName } from './look-around.ts';
import { type NewReading, type Reading, readListed } from './read-thread.ts';
import { type ReadSummary, summaryOf } from './thread-fold.ts';

/**
 * What came of a file; `nothing`: it holds no thread, or not yet. An outcome says why it cannot be listed. Absent: it
 * could not be read, or is gone.
 */
export type ReadFiles = ReadonlyMap<string, ReadSummary | 'nothing' | UnreadableFile>;

export interface UnreadableFile {
  readonly problem: Outcome;
}

/** Reads files, from where they were read before if they only grew, and keeps what was read. */
export async function readInto(
  database: DatabaseSync,
  home: string,
  files: readonly ListedFile[],
  progress?: WorkProgress,
): Promise<ReadFiles> {
  const findRollout = rolloutFinder(database, home);
  const known = database.prepare('SELECT offset, mark, fold FROM threads WHERE name = ?');
  const read: { file: ListedFile; before: Reading | undefined; reading: NewReading | 'nothing' }[] = [];
  const unreadable = new Map<string, UnreadableFile>();
  const readOne = async (file: ListedFile): Promise<void> => {
    try {
      const before = readingIn(known.get(file.name));
      const reading = await readListed(join(home, file.path), before, findRollout);
      read.push({ file, before, reading });
    } catch (error) {
      // One that cannot be read, or is gone, hides no other.
      if (error instanceof Fault) unreadable.set(file.name, { problem: problemOf(error) });
      else if (errorCode(error) === undefined) throw error;
    }
  };
  // Each compressed one may hold what was unpacked of it.
  const inTurn = async (): Promise<void> => {
    for (const file of files) if (isCompressed(file.path)) await readOne(file);
  };
  await Promise.all([inTurn(), ...files.filter(({ path }) => !isCompressed(path)).map(readOne)]);
  const write = readingWriter(database);
  const writeAll = (): void => {
    for (const { file, before, reading } of read) {
      // Another process forgot or read on meanwhile: what this reading continues is not there, and it is done again.
      const now = before && readingIn(known.get(file.name));
      if (before?.offset !== now?.offset || before?.mark !== now?.mark) continue;
      if (reading === 'nothing') write.forget(file);
      else write.keep(file, reading);
    }
  };
  await inTransaction(database, writeAll, progress);
  const found = new Map<string, ReadSummary | 'nothing' | UnreadableFile>(unreadable);
  for (const { file, reading } of read)
    found.set(file.name, reading === 'nothing' ? reading : summaryOf(reading.shown));
  return found;
}

function problemOf({ code, message, next }: Fault): Outcome {
  return { code, message, next };
}

/** Where the file of a rollout is, by the table of files: a plain one before a compressed one, an active one first. */
function rolloutFinder(database: DatabaseSync, home: string): (rolloutId: string) => string | undefined {
  const find = database.prepare(
    'SELECT name, folder, compressed FROM files WHERE rollout = ? ORDER BY archived, compressed',
  );
  return (rolloutId) => {
    const row = find.get(rolloutId);
    if (row === undefined) return undefined;
    return join(home, row['folder'] as string, fileName(row['name'] as string, row['compressed'] === 1));
  };
}

function readingIn(row: Readonly<Record<string, unknown>> | undefined): Reading | undefined {
  const fold = row && (parseJsonObject(row['fold'] as string) as unknown as Reading['fold'] | undefined);
  return fold && { offset: row['offset'] as number, mark: row['mark'] as string, fold };
}

function readingWriter(database: DatabaseSync) {
  const put = database.prepare(
    `INSERT INTO threads (name, size, mtime, offset, mark, created, summary, fold) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET size = excluded.size, mtime = excluded.mtime, offset = excluded.offset,
       mark = excluded.mark, created = excluded.created, summary = excluded.summary, fold = excluded.fold
     RETURNING id`,
  );
  const takeBack = database.prepare('DELETE FROM messages WHERE thread = ? AND turn > ?');
  const add = database.prepare('INSERT INTO messages (thread, turn, role, text) VALUES (?, ?, ?, ?)');
  return {
    /** A reading of which something is missing is kept as one of another size, so that it is done again. */
    keep({ name, size, mtime }: ListedFile, reading: NewReading): void {
      const { offset, mark, fold, messages, keptTurns, shown, whole, terminated } = reading;
      const summary = summaryOf(shown);
      const [known, sign] = [whole && terminated ? size : -1, whole ? mark : ''];
      const texts = [JSON.stringify(summary), JSON.stringify(fold)] as const;
      const id = put.get(name, known, mtime, offset, sign, summary.createdAt, ...texts)?.['id'] as number;
      takeBack.run(id, keptTurns);
      for (const { turn, role, text } of messages) add.run(id, turn, role, text);
    },
    /** There is no thread in it until it changes. If its thread has another file, that one counts. */
    forget({ name, thread }: ListedFile): void {
      database.prepare('DELETE FROM messages WHERE thread IN (SELECT id FROM threads WHERE name = ?)').run(name);
      database.prepare('DELETE FROM threads WHERE name = ?').run(name);
      database.prepare('UPDATE files SET hollow = 1 WHERE name = ?').run(name);
      fileChooser(database)(thread);
    },
  };
}
