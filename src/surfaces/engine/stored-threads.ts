import { findHome, type HomeProblem } from '../../gather/system/home.ts';
import type { BlobMissing, LoadedBlob } from '../../ports/blobs.ts';
import type { ChosenThread, ListProgress, NoThread, ThreadChoice } from '../../ports/thread-directory.ts';
import type { Ordinal, ThreadId } from '../../protocol/ids.ts';
import type { Line } from '../../protocol/line.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ThreadHits, ThreadPage, ThreadQuery, ThreadSummary } from '../../protocol/thread-summary.ts';
import type { Collected } from '../../rollout/collect/collect.ts';
import type { CollectOptions } from '../../rollout/collect/collect-options.ts';
import type { CompressReport, ToCompress } from '../../rollout/collect/compressed-threads.ts';
import type { ImportedRollout, ImportProblem } from '../../rollout/import-rollout.ts';
import { unknownThread } from '../../rollout/refusals.ts';
import type { ThreadArchived, ThreadDeleted } from '../../rollout/thread-lifecycle.ts';
import type { Pin } from '../../state/pins.ts';
import type { TurnSummary } from '../../state/turn-list.ts';
import type { WaitingMessage } from '../../state/waiting.ts';
import { foldThread } from '../../thread/branch/resume.ts';
import type { RollbackTo, RollbackUndone, RolledBack } from '../../thread/branch/rollback-range.ts';
import type { Unproven } from '../../thread/branch/unproven.ts';
import type { ThreadFiles } from '../../workspace/file-changes.ts';
import type { Variables } from '../../protocol/variables.ts';
import { type EngineRefused, engineRefused } from './engine-refused.ts';
import { createHomeStore, type HomeStore } from './home-store.ts';
import type { HomeUpkeep } from './home-upkeep.ts';
import type { ThreadCheckpoint } from './thread-checkpoints.ts';
import type { Done, Forceful, PinsChange, ThreadOperations, ThreadRenamed } from './thread-operations.ts';

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
  #operating: Promise<ThreadOperations> | undefined;

  constructor(kept: HomeStore) {
    this.#kept = kept;
  }

  /** For programs that only look, even where the configuration cannot be used. */
  static in(env: Variables, osHome: string): StoredThreads | HomeProblem {
    const home = findHome(env, osHome);
    if ('code' in home) return home;
    return new StoredThreads(
      createHomeStore(home.path, { maxBlobBytes: 0, codexIndexFolder: env['CODEX_SQLITE_HOME'] }),
    );
  }

  get home(): string {
    return this.#kept.home;
  }

  /** The thread that the user means. */
  choose(choice: ThreadChoice): Promise<ChosenThread | NoThread> {
    return this.#kept.threadStore.directory.choose(choice);
  }

  /** Where a thread is kept, for people; undefined when there is none of that id. */
  async location(id: ThreadId): Promise<string | undefined> {
    const current = await this.#kept.store.current(id);
    return current.kind === 'current' ? current.location : undefined;
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
    const { readTurnList } = await import('../../thread/branch/read-turns.ts');
    return readTurnList(this.#kept.store, id);
  }

  /** The checkpoints of a thread that stand, oldest first. */
  async checkpoints(id: ThreadId): Promise<readonly ThreadCheckpoint[]> {
    const { checkpointsOf } = await import('./thread-checkpoints.ts');
    return checkpointsOf(this.#kept.store, id);
  }

  /** Messages that a thread has accepted and that no turn has come to, archived or not, oldest first. */
  async waiting(id: ThreadId): Promise<readonly WaitingMessage[]> {
    const { unsealed, withoutUnproven } = await import('../../thread/branch/unproven.ts');
    const { state } = await withoutUnproven(this.#kept, id, (await foldThread(this.#kept.store, id)).state);
    return state.waiting.map((message) => unsealed<WaitingMessage>(message));
  }

  /** Messages and notes that the file of a thread has in the user's name and that do not count, set aside or not. */
  async unproven(id: ThreadId): Promise<Unproven> {
    const { findUnproven } = await import('../../thread/branch/unproven.ts');
    const { readSetAside } = await import('../../thread/branch/read-set-aside.ts');
    const before = await readSetAside(this.#kept.store, id);
    const now = await findUnproven(this.#kept, id, (await foldThread(this.#kept.store, id)).state);
    return { ...now, messages: [...before.messages, ...now.messages], pins: [...before.pins, ...now.pins] };
  }

  async pins(id: ThreadId): Promise<readonly Pin[]> {
    const { pinsOf } = await import('../../thread/branch/pinned-notes.ts');
    return pinsOf(this.#kept, id);
  }

  /** What turns of a thread changed in files, as far as snapshots show. */
  async fileChanges(id: ThreadId): Promise<ThreadFiles> {
    const { threadFileChanges } = await import('./restore-thread-files.ts');
    return threadFileChanges(this.#kept, id);
  }

  /** What a line refers to by its hash: the whole output of a command, for instance. */
  blob(sha256: string): Promise<LoadedBlob | BlobMissing> {
    return this.#kept.threadStore.blobs.load(sha256);
  }

  list(query: ThreadQuery, progress?: ListProgress): Promise<ThreadPage | Outcome> {
    return this.#kept.threadStore.directory.list(query, progress);
  }

  /** Threads in which a user or the model said these words. */
  search(text: string, query: ThreadQuery, progress?: ListProgress): Promise<ThreadHits | Outcome> {
    return this.#kept.threadStore.directory.search(text, query, progress);
  }

  async summary(id: ThreadId): Promise<ThreadSummary | Outcome> {
    return (await this.#kept.threadStore.directory.summary(id)) ?? unknownThread(id);
  }

  /** Brings the index up to date with all files. `anew`: from nothing. */
  reindex(options: { readonly anew: boolean }, progress?: ListProgress) {
    return this.#upkeep((upkeep) => upkeep.reindex(options, progress));
  }

  /** The home, if its index should be brought up to date before a command waits for it, and no process does so already. */
  async takeReading(): Promise<string | undefined> {
    return (await this.#upkeep((upkeep) => upkeep.takeReading())) === true ? this.home : undefined;
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

  /** Refused while forks continue from the thread; with `force` they are deleted with it. */
  async delete(id: ThreadId, options: Forceful = {}): Promise<Done<ThreadDeleted> | EngineRefused> {
    return (await this.#operations()).delete(id, options);
  }

  /** An empty name takes the name away. */
  async rename(id: ThreadId, name: string): Promise<Done<ThreadRenamed> | EngineRefused> {
    return (await this.#operations()).rename(id, name);
  }

  /** Pins a note to a thread: the model is told it as it is, and again after every checkpoint. */
  async pin(id: ThreadId, text: string): Promise<Done<PinsChange> | EngineRefused> {
    return (await this.#operations()).pin(id, text);
  }

  /** `which`: the number of a note in `pins`, counted from 1, its id, or the beginning of that. */
  async unpin(id: ThreadId, which: string): Promise<Done<PinsChange> | EngineRefused> {
    return (await this.#operations()).unpin(id, which);
  }

  /** Copies a rollout from elsewhere into the home. */
  importFile(source: string): Promise<ImportedRollout | ImportProblem | EngineRefused> {
    return this.#upkeep((upkeep) => upkeep.importFile(source));
  }

  /**
   * Packs rollouts that no program has written to for a while. They are read as before, and unpacked when they are
   * resumed.
   */
  compress(which: ToCompress, options: { readonly dryRun: boolean }): Promise<CompressReport | EngineRefused> {
    return this.#upkeep((upkeep) => upkeep.compress(which, options));
  }

  /** Removes what no thread refers to. */
  collect(options: Pick<CollectOptions, 'dryRun' | 'reverted'>): Promise<Collected | EngineRefused> {
    const { maxBlobBytes } = this.#kept;
    return this.#upkeep((upkeep) => upkeep.collect({ ...options, maxBlobBytes }));
  }

  #operations(): Promise<ThreadOperations> {
    return (this.#operating ??= import('./thread-operations.ts').then(
      ({ ThreadOperations }) => new ThreadOperations({ ...this.#kept, directory: this.#kept.threadStore.directory }),
    ));
  }

  /** Refused with a store that is not the home's. */
  async #upkeep<Result>(work: (upkeep: HomeUpkeep) => Promise<Result>): Promise<Result | EngineRefused> {
    const { HomeUpkeep, notTheHome } = await import('./home-upkeep.ts');
    const { disk, ids } = this.#kept;
    return disk === undefined ? engineRefused(notTheHome) : work(new HomeUpkeep({ ...disk, ids }));
  }
}
