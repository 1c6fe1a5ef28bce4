import type { Clock } from '../../ports/system.ts';
import { BestFiles, type FoundFiles, rankPath } from './search-files.ts';
import { TimeSlicer, WorkStoppedError } from './yield-to-event-loop.ts';
import { type VisibleFiles, visibleFiles } from './visible-files.ts';

export interface IndexSearch {
  /** Letters of the path, in order. Empty: the most recently changed files. */
  readonly typed: string;
  readonly limit: number;
  /** Paths that the user named before, which rank higher. */
  readonly named?: ReadonlySet<string>;
  /** Aborted when the next letter is typed: the results are then useless. */
  readonly signal: AbortSignal;
  /** Called at once with the known results, and again as more of the folder is known. */
  found(files: FoundFiles): void;
}

type IndexedFile = { readonly path: string; readonly kind: 'file' | 'folder'; readonly modifiedAt: number };

interface IndexParts {
  readonly clock: Clock;
  /** The files to search, under the current rules. */
  ground(): Omit<VisibleFiles, 'pace'>;
}

/** After this time the next search scans the folder again and uses the old results meanwhile. */
const freshMs = 5000;
/** After a search without results the next scan comes sooner, once per search: the user may mean a new file. */
const missedMs = 1000;
/** The first search starts after this many files, and again each time their number doubles. */
const firstBatch = 1000;

/** Scans the folder once for a user who types, in small slices, and searches the known paths for every letter. */
export class FileIndex {
  readonly #parts: IndexParts;
  #known: readonly IndexedFile[] = [];
  #coming: IndexedFile[] | undefined;
  #isPartial = false;
  #lookedAt = -Infinity;
  #failure: { readonly error: unknown } | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(parts: IndexParts) {
    this.#parts = parts;
  }

  /** Resolves when no more results can come, or when the signal ends it. */
  async search(search: IndexSearch): Promise<void> {
    const { clock } = this.#parts;
    const { signal } = search;
    if (clock.now() - this.#lookedAt > freshMs) this.#beginLook();
    const begunAt = clock.now();
    let mayMiss = true;
    let isDue = true;
    let wake: (() => void) | undefined;
    const listener = (): void => {
      isDue = true;
      wake?.();
    };
    this.#listeners.add(listener);
    signal.addEventListener('abort', listener);
    try {
      while (!signal.aborted) {
        const isLast = this.#coming === undefined;
        if (this.#failure !== undefined) throw this.#failure.error;
        if (isDue) {
          isDue = false;
          const total = await this.#rank(search);
          if (isLast && total === 0 && mayMiss && this.#lookedAt <= begunAt) {
            mayMiss = false;
            await clock.sleep(Math.max(0, this.#lookedAt + missedMs - clock.now()), signal);
            if (!signal.aborted) this.#beginLook();
            continue;
          }
        }
        if (isLast && !isDue) return;
        if (!isDue && !signal.aborted) await new Promise<void>((resolve) => (wake = resolve));
      }
    } catch (error) {
      if (!(error instanceof WorkStoppedError)) throw error;
    } finally {
      this.#listeners.delete(listener);
      signal.removeEventListener('abort', listener);
    }
  }

  #beginLook(): void {
    if (this.#coming === undefined) this.#look().catch((error: unknown) => (this.#failure = { error }));
  }

  async #rank({ typed, limit, named, signal, found }: IndexSearch): Promise<number> {
    const { clock } = this.#parts;
    const pace = new TimeSlicer(clock, signal);
    const best = new BestFiles(limit);
    const now = clock.now();
    // The first scan shows its partial results; later ones keep the old results until they end.
    const files = this.#known.length === 0 ? (this.#coming ?? []) : this.#known;
    for (let at = 0; at < files.length; at++) {
      if (pace.isDue(1)) await pace.rest();
      const { path, kind, modifiedAt } = files[at]!;
      const rank = rankPath(path, typed);
      if (rank === undefined || (typed === '' && kind === 'folder')) continue;
      const raised = typed === '' ? modifiedAt / 1000 : recent(now - modifiedAt);
      best.add({ path, kind, rank: rank + raised + (named?.has(path) === true ? 400 : 0) });
    }
    if (signal.aborted) return 0;
    found({ files: best.sorted(), total: best.total, isPartial: this.#isPartial || this.#coming !== undefined });
    return best.total;
  }

  async #look(): Promise<void> {
    const { clock, ground } = this.#parts;
    const coming: IndexedFile[] = [];
    this.#coming = coming;
    let next = firstBatch;
    try {
      const entries = visibleFiles({ ...ground(), pace: new TimeSlicer(clock, new AbortController().signal) });
      for (;;) {
        const { done, value } = await entries.next();
        if (done === true) {
          this.#isPartial = value;
          break;
        }
        const { inside: path, kind, modifiedAt } = value;
        coming.push({ path, kind, modifiedAt });
        if (coming.length < next || this.#known.length > 0) continue;
        next *= 2;
        this.#tell();
      }
    } finally {
      this.#known = coming;
      this.#coming = undefined;
      this.#lookedAt = clock.now();
      this.#tell();
    }
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** People usually mean recently changed files. The bonus stays below the gap between a better and a worse match. */
function recent(ageMs: number): number {
  const hours = ageMs / 3_600_000;
  return hours < 1 ? 300 : hours < 24 ? 200 : hours < 24 * 7 ? 100 : 0;
}
