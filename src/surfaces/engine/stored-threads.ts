import { findHome, type HomeProblem } from '../../gather/home.ts';
import type { BlobMissing, LoadedBlob } from '../../ports/blobs.ts';
import type { Ordinal, ThreadId } from '../../protocol/ids.ts';
import type { Line } from '../../protocol/line.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ThreadHits, ThreadPage, ThreadQuery, ThreadSummary } from '../../protocol/thread-summary.ts';
import { type ChosenThread, chooseThread, type NoThread, type ThreadChoice } from '../../rollout/choose-thread.ts';
import type { Collected } from '../../rollout/collect.ts';
import type { CollectOptions } from '../../rollout/collect-options.ts';
import type { CompressReport, ToCompress } from '../../rollout/compressed-threads.ts';
import type { ImportedRollout, ImportProblem } from '../../rollout/import-rollout.ts';
import type { IndexProgress, ThreadIndex } from '../../rollout/index/thread-index.ts';
import { unknownThread } from '../../rollout/refusals.ts';
import type { ThreadArchived, ThreadDeleted } from '../../rollout/thread-lifecycle.ts';
import type { Pin } from '../../state/pins.ts';
import type { TurnSummary } from '../../state/turn-list.ts';
import type { WaitingMessage } from '../../state/waiting.ts';
import type { PinsChanged } from '../../thread/pinned-notes.ts';
import { foldThread } from '../../thread/resume.ts';
import type { RollbackTo, RollbackUndone, RolledBack } from '../../thread/rollback-range.ts';
import type { ThreadFiles } from '../../workspace/file-changes.ts';
import type { Environment } from '../environment.ts';
import { type EngineRefused, refused } from './engine-refused.ts';
import { createHomeStore, type HomeStore } from './home-store.ts';
import type { ThreadCheckpoint } from './thread-checkpoints.ts';
import type { Done, Forceful, ThreadOperations, ThreadRenamed } from './thread-operations.ts';

/** The lines of a thread, oldest first. */
export interface ThreadLines {
  readonly lines: readonly Line[];
  /** Lines that could not be read and were left out. */
  readonly skipped: number;
}

/**
 * The threads of a home, whichever program wrote them: reading needs no lock and disturbs no writer, and what is done to
 * a thread as a whole is refused while it is written. Needs no configuration. Code is loaded on use: most runs need
 * little of it.
 */
export class StoredThreads {
  readonly kind = 'stored';
  readonly #kept: HomeStore;
  readonly #env: Environment;
  #operating: Promise<ThreadOperations> | undefined;
  #indexing: Promise<ThreadIndex> | undefined;

  constructor(kept: HomeStore, env: Environment) {
    this.#kept = kept;
    this.#env = env;
  }

  /** For programs that only look, even where the configuration cannot be used. */
  static in(env: Environment, osHome: string): StoredThreads | HomeProblem {
    const home = findHome(env, osHome);
    return 'code' in home ? home : new StoredThreads(createHomeStore(home.path, { maxBlobBytes: 0 }), env);
  }

  get home(): string {
    return this.#kept.disk.home;
  }

  /** The thread that the user means. */
  choose(choice: ThreadChoice): Promise<ChosenThread | NoThread> {
    return chooseThread(this.#kept.disk.files, this.home, choice);
  }

  /** Where a thread is kept, for people; undefined when there is none of that id. */
  async location(id: ThreadId): Promise<string | undefined> {
    const current = await this.#kept.store.current(id);
    return current.kind === 'current' ? current.path : undefined;
  }

  async read(id: ThreadId): Promise<ThreadLines> {
    const reader = this.#kept.store.read(id, { from: 0 as Ordinal });
    const lines: Line[] = [];
    for (;;) {
      const next = await reader.next();
      if (next.done === true) return { lines, skipped: next.value.skipped };
      lines.push(next.value);
    }
  }

  /** The turns of a thread that were not taken back. */
  async turns(id: ThreadId): Promise<readonly TurnSummary[]> {
    const { readTurnList } = await import('../../thread/read-turns.ts');
    return readTurnList(this.#kept.store, id);
  }

  /** The checkpoints of a thread that stand, oldest first. */
  async checkpoints(id: ThreadId): Promise<readonly ThreadCheckpoint[]> {
    const { checkpointsOf } = await import('./thread-checkpoints.ts');
    return checkpointsOf(this.#kept.store, id);
  }

  /** Messages that a thread has accepted and that no turn has come to, archived or not, oldest first. */
  async waiting(id: ThreadId): Promise<readonly WaitingMessage[]> {
    return (await foldThread(this.#kept.store, id)).state.waiting;
  }

  async pins(id: ThreadId): Promise<readonly Pin[]> {
    const { pinsOf } = await import('../../thread/pinned-notes.ts');
    return pinsOf(this.#kept.store, id);
  }

  /** What turns of a thread changed in files, as far as snapshots tell. */
  async fileChanges(id: ThreadId): Promise<ThreadFiles> {
    const { threadFileChanges } = await import('./restore-thread-files.ts');
    return threadFileChanges(this.#kept, id);
  }

  /** What a line refers to by its hash: the whole output of a command, for instance. */
  blob(sha256: string): Promise<LoadedBlob | BlobMissing> {
    return this.#kept.blobs.load(sha256);
  }

  async list(query: ThreadQuery, progress?: IndexProgress): Promise<ThreadPage | Outcome> {
    return (await this.#index()).list(query, progress);
  }

  /** Threads in which a user or the model said these words. */
  async search(text: string, query: ThreadQuery, progress?: IndexProgress): Promise<ThreadHits | Outcome> {
    return (await this.#index()).search(text, query, progress);
  }

  async summary(id: ThreadId): Promise<ThreadSummary | Outcome> {
    return (await (await this.#index()).summary(id)) ?? unknownThread(id);
  }

  /** Brings the index up to date with all files. `anew`: from nothing. */
  async reindex(options: { readonly anew: boolean }, progress?: IndexProgress): Promise<{ readonly threads: number }> {
    return (await this.#index()).refresh(options, progress);
  }

  /** The home, if the index should be brought up to date before a command waits for it, and no process does so already. */
  async takeReading(): Promise<string | undefined> {
    return (await (await this.#index()).takeReading()) ? this.home : undefined;
  }

  /** Takes the newest turns back. What they cost stays counted, and files stay as they are. */
  async rollback(id: ThreadId, to: RollbackTo): Promise<Done<RolledBack> | EngineRefused> {
    return (await this.#operations()).rollback(id, to);
  }

  async undoRollback(id: ThreadId, options: Forceful = {}): Promise<Done<RollbackUndone> | EngineRefused> {
    return (await this.#operations()).undoRollback(id, options);
  }

  async archive(id: ThreadId): Promise<Done<ThreadArchived> | EngineRefused> {
    return (await this.#operations()).archive(id);
  }

  async unarchive(id: ThreadId): Promise<Done<ThreadArchived> | EngineRefused> {
    return (await this.#operations()).unarchive(id);
  }

  /** Refused while forks go on from the thread; with `force` they are deleted with it. */
  async delete(id: ThreadId, options: Forceful = {}): Promise<Done<ThreadDeleted> | EngineRefused> {
    const deleted = await (await this.#operations()).delete(id, options);
    await (await this.#index()).forgetLost();
    return deleted;
  }

  /** An empty name takes the name away. */
  async rename(id: ThreadId, name: string): Promise<Done<ThreadRenamed> | EngineRefused> {
    return (await this.#operations()).rename(id, name);
  }

  /** Pins a note to a thread: the model is told it as it is, and again after every checkpoint. */
  async pin(id: ThreadId, text: string): Promise<Done<PinsChanged> | EngineRefused> {
    return (await this.#operations()).pin(id, text);
  }

  /** `which`: the number of a note in `pins`, counted from 1, its id, or the beginning of that. */
  async unpin(id: ThreadId, which: string): Promise<Done<PinsChanged> | EngineRefused> {
    return (await this.#operations()).unpin(id, which);
  }

  /** Copies a rollout from elsewhere into the home. */
  async importFile(source: string): Promise<ImportedRollout | ImportProblem> {
    const { importThread } = await import('./import-thread.ts');
    return importThread(this.#kept, source);
  }

  /** Packs rollouts that no program has written to for a while. They are read as before, and unpacked when they go on. */
  async compress(which: ToCompress, { dryRun }: { readonly dryRun: boolean }): Promise<CompressReport | EngineRefused> {
    const { compressThreads } = await import('../../rollout/compressed-threads.ts');
    const report = await compressThreads(this.#kept.disk, which, { dryRun });
    return 'code' in report ? refused(report) : report;
  }

  /** Removes what no thread refers to. */
  async collect(options: Pick<CollectOptions, 'dryRun' | 'reverted'>): Promise<Collected> {
    const { collectUnused } = await import('./collect-unused.ts');
    return collectUnused({ ...this.#kept.disk, maxBlobBytes: this.#kept.maxBlobBytes, ...options });
  }

  #operations(): Promise<ThreadOperations> {
    return (this.#operating ??= import('./thread-operations.ts').then(({ ThreadOperations }) => {
      const { store, ids, disk } = this.#kept;
      const indexFolder = this.#env['CODEX_SQLITE_HOME'] ?? this.home;
      return new ThreadOperations({ ...disk, store, ids, indexFolder });
    }));
  }

  #index(): Promise<ThreadIndex> {
    return (this.#indexing ??= import('../../rollout/index/thread-index.ts').then(
      ({ ThreadIndex }) => new ThreadIndex(this.#kept.disk),
    ));
  }
}
