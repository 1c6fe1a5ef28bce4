import type { OpenFile } from '../../../ports/files.ts';
import type { WorkProgress } from '../../../ports/thread-store.ts';
import type { Ordinal } from '../../../protocol/ids.ts';
import { parseJsonObject } from '../../../protocol/json.ts';
import { Fault, type Outcome } from '../../../protocol/outcome.ts';
import { errorCode } from '../../disk/file-system.ts';
import { isCompressed, openListedRollout } from '../files/compressed-rollouts.ts';
import { nodeFiles } from '../files/node-files.ts';
import { endOfLastLine, fileRange } from '../files/whole-files.ts';
import { parseRolloutName } from '../files/rollout-paths.ts';
import { openLineage, type OpenRollout, readLineage, type Segment } from '../lines/lineage.ts';
import { readRolloutHead, readRolloutLines } from '../lines/read-lines.ts';
import { inTransaction } from './database.ts';
import { fileChooser, fileNameOnDisk, type ListedFile } from './listed-files.ts';
import { concernsLists, emptyThreadListFacts, summaryFromFacts, ThreadLineCollector } from './thread-summary.ts';
import type { SummaryFromLines, SpokenMessage, ThreadListFacts } from './thread-summary.ts';
import { hash } from 'node:crypto';
import { basename, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';

/** `nothing`: no thread in it yet. An outcome says why it cannot be listed. Absent: unreadable or gone. */
type ReadFiles = Map<string, SummaryFromLines | 'nothing' | { readonly problem: Outcome }>;

/** Reads files, continuing earlier readings of files that only grew, and keeps the results. */
export async function readFilesIntoIndex(
  database: DatabaseSync,
  home: string,
  files: readonly ListedFile[],
  progress?: WorkProgress,
): Promise<Readonly<ReadFiles>> {
  const findRollout = rolloutFinder(database, home);
  const known = database.prepare('SELECT offset, mark, fold FROM threads WHERE name = ?');
  const read: { file: ListedFile; before: Reading | undefined; reading: NewReading | 'nothing' }[] = [];
  const found: ReadFiles = new Map();
  const readOne = async (file: ListedFile): Promise<void> => {
    try {
      const before = readingIn(known.get(file.name));
      const reading = await readListedRollout(join(home, file.path), before, findRollout);
      read.push({ file, before, reading });
    } catch (error) {
      // An unreadable or missing file must not hide others.
      if (error instanceof Fault) found.set(file.name, { problem: problemOf(error) });
      else if (errorCode(error) === undefined) throw error;
    }
  };
  // One at a time: each compressed file may hold its unpacked bytes.
  const inTurn = async (): Promise<void> => {
    for (const file of files) if (isCompressed(file.path)) await readOne(file);
  };
  await Promise.all([inTurn(), ...files.filter(({ path }) => !isCompressed(path)).map(readOne)]);
  const write = readingWriter(database);
  const writeAll = (): void => {
    for (const { file, before, reading } of read) {
      // Another process deleted or updated the earlier reading meanwhile: read the file again.
      const now = before && readingIn(known.get(file.name));
      if (before?.offset !== now?.offset || before?.mark !== now?.mark) continue;
      if (reading === 'nothing') write.forget(file);
      else write.keep(file, reading);
    }
  };
  await inTransaction(database, writeAll, progress);
  for (const { file, reading } of read)
    found.set(file.name, reading === 'nothing' ? reading : summaryFromFacts(reading.shown));
  return found;
}

const problemOf = ({ code, message, next }: Fault): Outcome => ({ code, message, next });

/** Path of a rollout by the table of files: plain before compressed, active before archived. */
function rolloutFinder(database: DatabaseSync, home: string): (rolloutId: string) => string | undefined {
  const find = database.prepare(
    'SELECT name, folder, compressed FROM files WHERE rollout = ? ORDER BY archived, compressed',
  );
  return (rolloutId) => {
    const row = find.get(rolloutId);
    if (row === undefined) return undefined;
    return join(home, row['folder'] as string, fileNameOnDisk(row['name'] as string, row['compressed'] === 1));
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
    /** An incomplete reading is stored with another size, so that it is repeated. */
    keep({ name, size, mtime }: ListedFile, reading: NewReading): void {
      const { offset, mark, fold, messages, keptTurns, shown, whole, terminated } = reading;
      const summary = summaryFromFacts(shown);
      const [known, sign] = [whole && terminated ? size : -1, whole ? mark : ''];
      const texts = [JSON.stringify(summary), JSON.stringify(fold)] as const;
      const id = put.get(name, known, mtime, offset, sign, summary.createdAt, ...texts)?.['id'] as number;
      takeBack.run(id, keptTurns);
      for (const { turn, role, text } of messages) add.run(id, turn, role, text);
    },
    /** Records that the file has no thread until it changes. If the thread has another file, that one counts. */
    forget({ name, thread }: ListedFile): void {
      database.prepare('DELETE FROM messages WHERE thread IN (SELECT id FROM threads WHERE name = ?)').run(name);
      database.prepare('DELETE FROM threads WHERE name = ?').run(name);
      database.prepare('UPDATE files SET hollow = 1 WHERE name = ?').run(name);
      fileChooser(database)(thread);
    },
  };
}

interface Reading {
  /** After the last complete line. */
  readonly offset: number;
  /** Made from the text before the offset. If that text gives another mark now, it is another file. */
  readonly mark: string;
  readonly fold: ThreadListFacts;
}

interface NewReading extends Reading {
  readonly messages: readonly SpokenMessage[];
  /** The number of turns whose known messages stay. Those of later turns are deleted. */
  readonly keptTurns: number;
  /** Includes an unterminated last line, if it parses. */
  readonly shown: ThreadListFacts;
  /** False when a file that it continues from is missing: only its own lines were read. */
  readonly whole: boolean;
  /** False when the last line has no newline yet. */
  readonly terminated: boolean;
}

/** Reads what was added, or the whole file and those that it continues from. `nothing`: no thread in it yet. */
async function readListedRollout(
  path: string,
  before: Reading | undefined,
  findRollout: (rolloutId: string) => string | undefined,
): Promise<NewReading | 'nothing'> {
  const opened: OpenFile[] = [];
  const open = async (at: string): Promise<OpenFile> => {
    const file = await openListedRollout(nodeFiles, at);
    opened.push(file);
    return file;
  };
  try {
    const own = await open(path);
    const size = await own.size();
    const end = await endOfLastLine(own, size);
    const goesOn = before !== undefined && before.offset <= end && (await markAt(own, before.offset)) === before.mark;
    if (!goesOn && (await readRolloutHead(fileRange(own, 0, end))).kind !== 'meta') return 'nothing';
    const listener = new ThreadLineCollector(goesOn ? before.fold : emptyThreadListFacts, goesOn);
    const rolloutId = parseRolloutName(basename(path))?.rolloutId ?? '';
    const all = { rolloutId, path, file: fileRange(own, 0, end) };
    const segments = goesOn ? [] : await lineage(all, open, findRollout);
    await listener.hear(
      goesOn ? readRolloutLines(fileRange(own, before.offset, end), options) : readLineage(segments ?? [all], options),
    );
    const { fold, messages, keptTurns } = listener;
    const tail = new ThreadLineCollector(fold, true);
    if (end < size) await tail.hear(readRolloutLines(fileRange(own, end, size), options));
    const reading = { offset: end, mark: await markAt(own, end), fold, messages, keptTurns };
    return { ...reading, shown: tail.fold, whole: segments !== undefined, terminated: end === size };
  } finally {
    for (const file of opened) await file.close();
  }
}

const options = { from: 0 as Ordinal, wanted: concernsLists };

/** Undefined when it is broken. */
async function lineage(
  own: OpenRollout,
  open: (path: string) => Promise<OpenFile>,
  findRollout: (rolloutId: string) => string | undefined,
): Promise<readonly Segment[] | undefined> {
  try {
    return await openLineage(own, async (rolloutId) => {
      const path = findRollout(rolloutId);
      return path === undefined ? undefined : { rolloutId, path, file: await open(path) };
    });
  } catch (error) {
    if (error instanceof Fault || errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function markAt(file: OpenFile, offset: number): Promise<string> {
  const start = Math.max(0, offset - 256);
  const bytes = await file.read(start, offset - start);
  return hash('sha1', bytes, 'hex');
}
