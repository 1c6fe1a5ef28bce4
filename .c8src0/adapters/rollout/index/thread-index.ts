import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../../ports/system.ts';
import type { WorkProgress } from '../../../ports/thread-store.ts';
import { defined } from '../../../base/objects.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import { Fault, type Outcome } from '../../../protocol/outcome.ts';
import type { ThreadHits, ThreadPage, ThreadQuery, ThreadSummary } from '../../../protocol/thread.ts';
import { nodeFiles } from '../files/node-files.ts';
import type { HomePorts } from '../files/rollout-paths.ts';
import { threadNames } from '../files/thread-names.ts';
import { hasIndex, inTransaction, emptyDatabase, withDatabase } from './database.ts';
import { chosenFile, listedFilesAfter, refreshListedFile, scanFolders, staleFiles } from './listed-files.ts';
import type { CandidateRequest, ListedFile } from './listed-files.ts';
import { readFilesIntoIndex } from './read-listed-files.ts';
import {
  excerptOf,
  formatCursor,
  messageCondition,
  nothingToSearch,
  parseCursor,
  queryFilter,
  searchTerms,
} from './thread-summary.ts';

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
