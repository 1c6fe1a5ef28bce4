import { join, basename } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../../ports/system.ts';
import type { WorkProgress } from '../../../ports/thread-store.ts';
import { defined } from '../../../base/objects.ts';
import type { ThreadId, Ordinal } from '../../../protocol/ids.ts';
import { Fault, type Outcome } from '../../../protocol/outcome.ts';
import type { ThreadHits, ThreadPage, ThreadQuery, ThreadSummary } from '../../../protocol/thread.ts';
import { nodeFiles } from '../files/node-files.ts';
import { parseRolloutName, type HomePorts } from '../files/rollout-paths.ts';
import { threadNames } from '../files/thread-names.ts';
import { hasIndex, inTransaction, emptyDatabase, withDatabase } from './database.ts';
import {
  chosenFile,
  listedFilesAfter,
  refreshListedFile,
  scanFolders,
  staleFiles,
  fileChooser,
  fileNameOnDisk,
} from './listed-files.ts';
import type { CandidateRequest, ListedFile } from './listed-files.ts';
import {
  excerptOf,
  formatCursor,
  messageCondition,
  nothingToSearch,
  parseCursor,
  queryFilter,
  searchTerms,
  lineConcernsLists,
  emptyThreadListFacts,
  summaryFromFacts,
  ThreadLineCollector,
} from './thread-summary.ts';
import type { SummaryFromLines, SpokenMessage, ThreadListFacts } from './thread-summary.ts';
import type { OpenFile } from '../../../ports/files.ts';
import { parseJsonObject } from '../../../protocol/json.ts';
import { errorCode } from '../../disk/file-system.ts';
import { isCompressed, openListedRollout } from '../files/compressed-rollouts.ts';
import { endOfLastLine, viewOfFileRange } from '../files/whole-files.ts';
import { openLineage, readLineage, type OpenRollout } from '../lines/lineage.ts';
import { readRolloutHead, readRolloutLines } from '../lines/read-lines.ts';
import { hash } from 'node:crypto';

export type ThreadIndexOptions = Pick<HomePorts, 'home' | 'clock'>;
const disturbedMs = 50;
const mostAttempts = 100;

/** Lists and searches threads. Everything shown was first checked against its rollout. Writes no rollouts. */
export class ThreadIndex {
  readonly #home: string;
  readonly #clock: Clock;

  constructor({ home, clock }: ThreadIndexOptions) {
    this.#home = home;
    this.#clock = clock;
  }

  /** A list without conditions reads only the threads that it shows. */
  async list(query: ThreadQuery, progress?: WorkProgress): Promise<ThreadPage | Outcome<'cursor-unknown'>> {
    const after = parseCursor(query);
    if (after !== undefined && 'code' in after) return after;
    const names = await threadNames(nodeFiles, this.#home);
    return this.#undisturbed(async (database) => {
      await this.#look(database, quickLookMs, progress);
      const isPlain = query.sort === 'updated' && [query.cwd, query.text, query.source].every((c) => c === undefined);
      const unreadable: Unreadable = new Map();
      if (!isPlain) await this.#readStale(database, unreadable, progress);
      return { ...(await this.#page(database, names, { query, after }, unreadable)), ...named(unreadable) };
    });
  }

  /** Checks every file first: every message must be found. */
  async search(
    text: string,
    query: ThreadQuery,
    progress?: WorkProgress,
  ): Promise<ThreadHits | Outcome<'cursor-unknown' | 'search-empty'>> {
    const after = parseCursor(query);
    if (after !== undefined && 'code' in after) return after;
    const terms = searchTerms(text);
    if (terms.length === 0) return nothingToSearch;
    const condition = messageCondition(terms);
    const names = await threadNames(nodeFiles, this.#home);
    return this.#undisturbed(async (database) => {
      await this.#look(database, undefined, progress);
      const unreadable: Unreadable = new Map();
      await this.#readStale(database, unreadable, progress);
      const request = { query, after, said: condition };
      const { threads, next } = await this.#page(database, names, request, unreadable);
      const newest = database.prepare(
        `SELECT messages.turn, messages.role, messages.text FROM messages JOIN threads ON threads.id = messages.thread
         JOIN files USING (name) WHERE files.thread = ? AND files.chosen AND ${condition.sql}
         ORDER BY messages.id DESC LIMIT 1`,
      );
      const hits = threads.flatMap((thread) => {
        const row = newest.get(thread.id, ...condition.values);
        if (row === undefined) return [];
        const { turn, role, text: said } = row as { turn: number; role: 'user' | 'assistant'; text: string };
        return [{ thread, turn, role, excerpt: excerptOf(said, terms) }];
      });
      return { hits, ...named(unreadable), ...defined({ next }) };
    });
  }

  async summary(id: ThreadId): Promise<ThreadSummary | undefined> {
    const names = await threadNames(nodeFiles, this.#home);
    return withDatabase(this.#home, async (database) => {
      await this.#look(database, quickLookMs);
      for (;;) {
        const file = chosenFile(database, id);
        const shown = file && (await this.#show(database, file, names));
        if (shown !== undefined && shown !== 'moved' && 'problem' in shown) throw new Fault(shown.problem);
        if (shown !== 'moved') return shown;
      }
    });
  }

  /** Reads every file that is unknown or has changed. `anew`: forgets everything first. */
  async refresh({ anew }: { readonly anew: boolean }, progress?: WorkProgress): Promise<{ readonly threads: number }> {
    return withDatabase(this.#home, async (database) => {
      if (anew) await emptyDatabase(database, progress);
      await this.#look(database, undefined, progress);
      await this.#readStale(database, new Map(), progress);
      const row = database.prepare('SELECT count(*) AS count FROM threads').get();
      return { threads: row?.['count'] as number };
    });
  }

  /** Forgets threads whose files are gone, since their text must not stay. */
  async forgetLost(): Promise<void> {
    if (!hasIndex(this.#home)) return;
    await withDatabase(this.#home, async (database) => this.#look(database, 0));
  }

  /** Claims the task of reading all threads in advance. True if many are unread and no process has begun lately. */
  async takeReading(): Promise<boolean> {
    return withDatabase(this.#home, async (database) => {
      const select = `SELECT (SELECT count(*) FROM files WHERE chosen) - (SELECT count(*) FROM threads) AS unread,
        coalesce((SELECT max(begun) FROM reading), 0) AS begun`;
      const { unread, begun } = database.prepare(select).get() as { unread: number; begun: number };
      const now = this.#clock.now();
      if (unread < manyThreads || Math.abs(now - begun) < readingLastsMs) return false;
      await inTransaction(database, () => {
        database.exec('DELETE FROM reading');
        database.prepare('INSERT INTO reading (begun) VALUES (?)').run(now);
      });
      return true;
    });
  }

  /** Repeats the work if another process wrote meanwhile: it may have deleted everything for a rebuild. */
  #undisturbed<Result>(work: (database: DatabaseSync) => Promise<Result>): Promise<Result> {
    return withDatabase(this.#home, async (database) => {
      const version = (): unknown => database.prepare('PRAGMA data_version').get()?.['data_version'];
      for (let attempt = 1; ; attempt++) {
        const before = version();
        const result = await work(database);
        if (version() === before || attempt === mostAttempts) return result;
        await this.#clock.sleep(disturbedMs);
      }
    });
  }

  #look(database: DatabaseSync, budget: number | undefined, progress?: WorkProgress): Promise<void> {
    return scanFolders(database, { home: this.#home, now: () => this.#clock.now(), budget, progress });
  }

  async #readStale(database: DatabaseSync, unreadable: Unreadable, progress: WorkProgress | undefined): Promise<void> {
    const stale = staleFiles(database);
    for (let at = 0; at < stale.length; at += batchSize) {
      const read = await readFilesIntoIndex(database, this.#home, stale.slice(at, at + batchSize), progress);
      for (const [name, file] of read) if (file !== 'nothing' && 'problem' in file) unreadable.set(name, file.problem);
      await progress?.(Math.min(at + batchSize, stale.length), stale.length);
    }
  }

  async #page(database: DatabaseSync, names: ThreadNames, request: CandidateRequest, unreadable: Unreadable) {
    const { query } = request;
    const isWanted = queryFilter(query);
    for (;;) {
      const threads: ThreadSummary[] = [];
      let moved = false;
      for (const candidate of listedFilesAfter(database, request)) {
        // Try once per list: even a tiny file may take as long as a large one.
        if (unreadable.has(candidate.name)) continue;
        const shown = await this.#show(database, candidate, names);
        moved = shown === 'moved';
        if (shown === 'moved') break;
        if (shown !== undefined && 'problem' in shown) unreadable.set(candidate.name, shown.problem);
        else if (shown !== undefined && isWanted(shown)) threads.push(shown);
        if (threads.length > query.limit) break;
      }
      // A thread that moved may belong elsewhere in the list.
      if (moved) continue;
      if (threads.length <= query.limit) return { threads };
      const page = threads.slice(0, query.limit);
      const last = page.at(-1)!;
      const time = query.sort === 'updated' ? last.updatedAt : last.createdAt;
      return { threads: page, next: formatCursor({ time, id: last.id }) };
    }
  }

  /** The row if its file is unchanged; otherwise the row is updated first. */
  async #show(database: DatabaseSync, file: ListedFile, names: ThreadNames) {
    if (await refreshListedFile(database, this.#home, file)) return 'moved';
    const read = file.summary ?? (await readFilesIntoIndex(database, this.#home, [file])).get(file.name);
    if (read === 'nothing') return 'moved';
    if (read === undefined || 'problem' in read) return read;
    const { createdAt, preview, ...rest } = read;
    return {
      id: file.thread,
      location: join(this.#home, file.path),
      ...defined({ name: names.get(file.thread) }),
      preview,
      createdAt,
      updatedAt: file.updated,
      ...rest,
      archived: file.archived,
      compressed: file.path.endsWith('.zst'),
    };
  }
}

type Unreadable = Map<string, Outcome>;

const named = (unreadable: Unreadable): Pick<ThreadPage, 'unreadable'> =>
  unreadable.size === 0 ? {} : { unreadable: [...unreadable.values()] };
type ThreadNames = Awaited<ReturnType<typeof threadNames>>;
/** Enough for some thousands of files; the newest are checked first. */
const quickLookMs = 25;
const batchSize = 32;
const manyThreads = 500;
const readingLastsMs = 60_000;
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
      if (error instanceof Fault) {
        const { code, message, next } = error;
        found.set(file.name, { problem: { code, message, next } });
      } else if (errorCode(error) === undefined) throw error;
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

type FindRollout = (rolloutId: string) => string | undefined;

/** Path of a rollout by the table of files: plain before compressed, active before archived. */
function rolloutFinder(database: DatabaseSync, home: string): FindRollout {
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
  findRollout: FindRollout,
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
    if (!goesOn && (await readRolloutHead(viewOfFileRange(own, 0, end))).kind !== 'meta') return 'nothing';
    const listener = new ThreadLineCollector(goesOn ? before.fold : emptyThreadListFacts, goesOn);
    const rolloutId = parseRolloutName(basename(path))?.rolloutId ?? '';
    const all = { rolloutId, path, file: viewOfFileRange(own, 0, end) };
    const segments = goesOn ? [] : await lineage(all, open, findRollout);
    await listener.hear(
      goesOn
        ? readRolloutLines(viewOfFileRange(own, before.offset, end), options)
        : readLineage(segments ?? [all], options),
    );
    const { fold, messages, keptTurns } = listener;
    const tail = new ThreadLineCollector(fold, true);
    if (end < size) await tail.hear(readRolloutLines(viewOfFileRange(own, end, size), options));
    const reading = { offset: end, mark: await markAt(own, end), fold, messages, keptTurns };
    return { ...reading, shown: tail.fold, whole: segments !== undefined, terminated: end === size };
  } finally {
    for (const file of opened) await file.close();
  }
}

const options = { from: 0 as Ordinal, wanted: lineConcernsLists };

/** Undefined when it is broken. */
async function lineage(own: OpenRollout, open: (path: string) => Promise<OpenFile>, findRollout: FindRollout) {
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
  return hash('sha1', await file.read(start, offset - start), 'hex');
}
