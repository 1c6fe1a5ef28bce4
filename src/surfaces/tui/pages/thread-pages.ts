import { realPath } from '../../../engine/file-access.ts';
import type { WorkProgress } from '../../../ports/thread-store.ts';
import { messageOfThrown } from '../../../protocol/display-text.ts';
import { outcomeText, type Outcome } from '../../../protocol/outcome.ts';
import type { ThreadPage, ThreadQuery, ThreadSummary } from '../../../protocol/thread.ts';

type WantedThreads = Omit<ThreadQuery, 'limit' | 'cursor'>;

interface PagesOptions {
  readonly pageSize: number;
  list(query: ThreadQuery, progress: WorkProgress): Promise<ThreadPage | Outcome>;
  changed(): void;
}

/** While a page is read, only the newest request waits: fast typing does not search for each letter. */
export class ThreadPages {
  readonly #options: PagesOptions;
  threads: readonly ThreadSummary[] = [];
  isReading = false;
  /** Number of files read for the first time so far, during a read. */
  read = 0;
  /** The error of the last page. `again` retries it. */
  problem: string | undefined;
  #wanted: WantedThreads | undefined;
  #next: string | undefined;
  #isStale = false;

  constructor(options: PagesOptions) {
    this.#options = options;
  }

  get hasMore(): boolean {
    return this.#next !== undefined;
  }

  show(wanted: WantedThreads): void {
    this.#wanted = wanted;
    this.#isStale = true;
    void this.#load();
  }

  more(): void {
    if (this.hasMore && this.problem === undefined) void this.#load();
  }

  again(): void {
    if (this.problem !== undefined) void this.#load();
  }

  async #load(): Promise<void> {
    if (this.isReading || this.#wanted === undefined) return;
    this.isReading = true;
    try {
      do {
        const isFirst = this.#isStale || this.#next === undefined;
        this.#isStale = false;
        await this.#loadPage(this.#wanted, isFirst ? undefined : this.#next);
      } while (this.#isStale);
    } finally {
      this.isReading = false;
      this.#options.changed();
    }
  }

  async #loadPage(wanted: WantedThreads, cursor: string | undefined): Promise<void> {
    const { pageSize, list, changed } = this.#options;
    this.read = 0;
    const progress: WorkProgress = async (done) => {
      if (done !== 'waiting') this.read = done;
      changed();
      await new Promise((later) => setImmediate(later));
    };
    let page: ThreadPage | Outcome;
    try {
      page = await list({ ...wanted, limit: pageSize, cursor }, progress);
    } catch (error) {
      page = { code: 'threads-unread', message: messageOfThrown(error), next: '' };
    }
    // Another list was requested meanwhile.
    if (this.#isStale) return;
    this.problem = 'code' in page ? outcomeText(page) : undefined;
    if ('code' in page) return;
    this.threads = cursor === undefined ? page.threads : [...this.threads, ...page.threads];
    this.#next = page.next;
  }
}

const mostPages = 4;

/**
 * A page of threads. Listing by folder would make the engine read every thread that its index lacks. This searches the
 * newest threads of all folders instead, reads only those, and stops after a few pages. The page may have fewer threads
 * than requested, or none, although more follow.
 */
export async function listOfFolder(
  list: (query: ThreadQuery) => Promise<ThreadPage | Outcome>,
  query: ThreadQuery,
): Promise<ThreadPage | Outcome> {
  const { cwd, ...ofAll } = query;
  if (cwd === undefined || query.text !== undefined || query.sort !== 'updated') return list(query);
  const folders = [cwd, realPath(cwd) ?? cwd];
  const found: ThreadSummary[] = [];
  let { cursor } = query;
  for (let pages = 0; pages < mostPages && found.length < query.limit; pages++) {
    const page: ThreadPage | Outcome = await list({ ...ofAll, cursor });
    if ('code' in page) return page;
    found.push(...page.threads.filter((thread) => thread.cwd !== undefined && folders.includes(thread.cwd)));
    cursor = page.next;
    if (cursor === undefined) break;
  }
  return { threads: found, next: cursor };
}
