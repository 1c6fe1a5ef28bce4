import { refusalOf } from '../../config/config-problem.ts';
import { loadEnvFile } from '../../gather/config-env-file.ts';
import { type BaseLayers, loadBaseLayers } from '../../gather/config-layers.ts';
import { findHome } from '../../gather/home.ts';
import { systemClock } from '../../gather/system-clock.ts';
import { systemIds } from '../../gather/system-ids.ts';
import { deniesRead } from '../../policy/denied-reads.ts';
import type { BlobMissing, LoadedBlob } from '../../ports/blobs.ts';
import type { RolloutStore } from '../../ports/rollout-store.ts';
import type { ChosenThread, ListProgress, NoThread, ThreadChoice } from '../../ports/thread-directory.ts';
import type { ThreadStore } from '../../ports/thread-store.ts';
import type { Tracer } from '../../ports/tracer.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ThreadCut } from '../../protocol/thread-cut.ts';
import type { ThreadHits, ThreadPage, ThreadQuery, ThreadSummary } from '../../protocol/thread-summary.ts';
import type { Collected } from '../../rollout/collect.ts';
import type { CollectOptions } from '../../rollout/collect-options.ts';
import type { CompressReport, ToCompress } from '../../rollout/compressed-threads.ts';
import { createEphemeralStore } from '../../rollout/ephemeral-store.ts';
import { unknownThread } from '../../rollout/refusals.ts';
import type { RolloutStoreOptions } from '../../rollout/store.ts';
import type { ThreadArchived, ThreadDeleted } from '../../rollout/thread-lifecycle.ts';
import { threadRollouts } from '../../rollout/thread-rollouts.ts';
import type { Pin } from '../../state/pins.ts';
import type { ThreadState } from '../../state/thread-state.ts';
import type { TurnSummary } from '../../state/turn-list.ts';
import type { WaitingMessage } from '../../state/waiting.ts';
import { loadTracer } from '../../telemetry/load-tracer.ts';
import type { CompactionResult } from '../../thread/compaction-result.ts';
import type { Thread } from '../../thread/thread.ts';
import { foldThread } from '../../thread/resume.ts';
import type { Unproven } from '../../thread/unproven.ts';
import type { RollbackTo, RollbackUndone, RolledBack } from '../../thread/rollback-range.ts';
import type { ThreadFiles } from '../../workspace/file-changes.ts';
import type { RestoreOptions, RestoreReport, RestoreTarget } from '../../workspace/restore-files.ts';
import { createHomeStore } from '../home-store.ts';
import { type CompactRequest, compactThread } from './compact-thread.ts';
import type { EngineOptions } from './engine-options.ts';
import { type EngineRefused, refused } from './engine-refused.ts';
import type { HomeUpkeep } from './home-upkeep.ts';
import { type OpenedThread, resumeThread, startThread, type ThreadRequest } from './open-thread.ts';
import { openFork } from './open-fork.ts';
import type { OpeningParts } from './prepare-thread.ts';
import type { ForeseenRequest } from './preview-thread.ts';
import type { ThreadCheckpoint } from './thread-checkpoints.ts';
import type {
  Done,
  Forceful,
  PinsChange,
  ThreadOperations,
  ThreadOperationsParts,
  ThreadRenamed,
} from './thread-operations.ts';

/** The composition root and the one facade: makes the parts, hands out threads. */
export class Engine {
  readonly kind = 'engine';
  /** Warnings about the configuration that holds everywhere. What a project adds is told when a thread is opened. */
  readonly notices: readonly Outcome[];
  readonly #base: BaseLayers;
  readonly #store: ThreadStore;
  /** Those of the store, as threads use them. */
  readonly #rollouts: RolloutStore;
  readonly #disk: RolloutStoreOptions | undefined;
  readonly #opening: OpeningParts;
  readonly #operationParts: ThreadOperationsParts;
  readonly #open = new Map<ThreadId, Thread>();

  private constructor(options: EngineOptions, base: BaseLayers, notices: readonly Outcome[], tracer: Tracer) {
    this.notices = notices;
    this.#base = base;
    const { store, seals, disk } = createHomeStore(base.home, {
      maxBlobBytes: base.config.blobs.maxBytes,
      codexIndexFolder: options.env['CODEX_SQLITE_HOME'],
    });
    this.#store = options.store ?? store;
    this.#disk = options.store === undefined ? disk : undefined;
    const rollouts = threadRollouts(this.#store, seals);
    this.#operationParts = { store: rollouts, seals, directory: this.#store.directory, ids: systemIds(systemClock) };
    this.#rollouts = options.ephemeral === true ? createEphemeralStore(rollouts, systemClock) : rollouts;
    this.#opening = { options, base, store: this.#rollouts, contents: this.#store.contents, seals, tracer };
  }

  /** Reads the configuration that holds everywhere. The gravest error in it is the answer. */
  static async load(options: EngineOptions): Promise<Engine | EngineRefused> {
    const home = findHome(options.env, options.osHome);
    if ('code' in home) return refused(home);
    const { env, problems } = loadEnvFile(home.path, options.env);
    const base = await loadBaseLayers(home.path, options);
    const error = refusalOf(base.problems);
    if (error !== undefined) return refused(error);
    return new Engine({ ...options, env }, base, [...problems, ...base.problems], await loadTracer(globalThis));
  }

  /** Whether somebody said whom to talk to: a model or who serves it. */
  get isSetUp(): boolean {
    const { config, requirements } = this.#base;
    return config.origins.has('model_provider') || (config.model ?? requirements.newThread?.model) !== undefined;
  }

  /** Whether the machine's manager forbids handing a file to a model. Asked about its spelling and where it leads. */
  deniesRead(path: string): boolean {
    return deniesRead(this.#base.requirements, path);
  }

  /** Folders that the configuration or a flag lets commands write besides the workspace, in runs of any mode. */
  get configuredRoots(): readonly string[] {
    const { sandboxWorkspaceWrite, addedRoots } = this.#base.config;
    return [...sandboxWorkspaceWrite.writableRoots, ...addedRoots];
  }

  /** The thread that somebody means. */
  choose(choice: ThreadChoice): Promise<ChosenThread | NoThread> {
    return this.#store.directory.choose(choice);
  }

  /** The threads that this engine has open: from their opening until they are closed. */
  get threads(): readonly Thread[] {
    return [...this.#open.values()];
  }

  thread(id: ThreadId): Thread | undefined {
    return this.#open.get(id);
  }

  start(request: ThreadRequest & { readonly cwd: string }): Promise<OpenedThread | EngineRefused> {
    return startThread(this.#opening, request).then((opened) => this.#noted(opened));
  }

  /** Goes on with a thread under its last settings, unless flags say otherwise. */
  resume(id: ThreadId, request: ThreadRequest): Promise<OpenedThread | EngineRefused> {
    return resumeThread(this.#opening, id, request).then((opened) => this.#noted(opened));
  }

  /**
   * Makes a checkpoint of a thread that nobody writes, as a task of its own. Unless it is installed, the history stands
   * as it was.
   */
  compact(id: ThreadId, request: CompactRequest): Promise<CompactionResult | EngineRefused> {
    return compactThread(this.#opening, id, request);
  }

  /**
   * Begins a thread that goes on from a place of another, and copies nothing. It keeps the other's settings of that
   * place, unless flags say otherwise, and has no name. The other thread may be written meanwhile, or be archived.
   */
  fork(id: ThreadId, cut: ThreadCut, request: ThreadRequest): Promise<OpenedThread | EngineRefused> {
    return openFork(this.#opening, { id, cut }, request).then((opened) => this.#noted(opened));
  }

  #noted(opened: OpenedThread | EngineRefused): OpenedThread | EngineRefused {
    if (opened.kind === 'refused') return opened;
    const { thread } = opened;
    this.#open.set(thread.id, thread);
    thread.subscribe({ ended: () => void this.#open.delete(thread.id) });
    return opened;
  }

  /** Gives up all threads that are open. Turns that run are ended first, by the program that runs them. */
  async close(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.close()));
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

  async pins(id: ThreadId): Promise<readonly Pin[]> {
    const { pinsOf } = await import('../../thread/pinned-notes.ts');
    return pinsOf(this.#opening, id);
  }

  /** Messages that a thread has accepted and that no turn has come to, archived or not, oldest first. */
  async waiting(id: ThreadId): Promise<readonly WaitingMessage[]> {
    const { unsealed, withoutUnproven } = await import('../../thread/unproven.ts');
    const { state } = await withoutUnproven(this.#opening, id, (await foldThread(this.#rollouts, id)).state);
    return state.waiting.map((message) => unsealed<WaitingMessage>(message));
  }

  /** Messages and notes that the file of a thread has in the user's name and that do not count, set aside or not. */
  async unproven(id: ThreadId): Promise<Unproven> {
    const { findUnproven } = await import('../../thread/unproven.ts');
    const { readSetAside } = await import('../../thread/read-set-aside.ts');
    const before = await readSetAside(this.#rollouts, id);
    const now = await findUnproven(this.#opening, id, (await foldThread(this.#rollouts, id)).state);
    return { messages: [...before.messages, ...now.messages], pins: [...before.pins, ...now.pins] };
  }

  /** Loaded on use: most runs do none of it. */
  async #operations(): Promise<ThreadOperations> {
    const { ThreadOperations } = await import('./thread-operations.ts');
    return new ThreadOperations(this.#operationParts);
  }

  /** Threads of the store, whatever program wrote them. */
  list(query: ThreadQuery, progress?: ListProgress): Promise<ThreadPage | Outcome> {
    return this.#store.directory.list(query, progress);
  }

  /** Threads in which a user or the model said these words. */
  search(text: string, query: ThreadQuery, progress?: ListProgress): Promise<ThreadHits | Outcome> {
    return this.#store.directory.search(text, query, progress);
  }

  async summary(id: ThreadId): Promise<ThreadSummary | Outcome> {
    return (await this.#store.directory.summary(id)) ?? unknownThread(id);
  }

  /** Brings the index up to date with all files. `anew`: from nothing. */
  reindex(options: { readonly anew: boolean }, progress?: ListProgress) {
    return this.#upkeep((upkeep) => upkeep.reindex(options, progress));
  }

  /** The home, if its index should be brought up to date before a user waits for it, and no process does so already. */
  async takeReading(): Promise<string | undefined> {
    return (await this.#upkeep((upkeep) => upkeep.takeReading())) === true ? this.#base.home : undefined;
  }

  /** What the next turn of a thread would begin with, if it were resumed now. Only reads. */
  async preview(id: ThreadId, state: ThreadState): Promise<ForeseenRequest | Outcome> {
    const { previewThread } = await import('./preview-thread.ts');
    return previewThread(this.#opening, id, state);
  }

  /** The turns of a thread that were not taken back. */
  async turns(id: ThreadId): Promise<readonly TurnSummary[]> {
    const { readTurnList } = await import('../../thread/find-turn.ts');
    return readTurnList(this.#rollouts, id);
  }

  /** The checkpoints of a thread that stand, oldest first. */
  async checkpoints(id: ThreadId): Promise<readonly ThreadCheckpoint[]> {
    const { checkpointsOf } = await import('./thread-checkpoints.ts');
    return checkpointsOf(this.#rollouts, id);
  }

  /** What turns of a thread changed in files, as far as snapshots tell. */
  async fileChanges(id: ThreadId): Promise<ThreadFiles> {
    const { threadFileChanges } = await import('./restore-thread-files.ts');
    return threadFileChanges(this.#opening, id);
  }

  /** Brings back files that turns of a thread changed. */
  async restoreFiles(
    id: ThreadId,
    target: RestoreTarget,
    options: RestoreOptions,
  ): Promise<RestoreReport | EngineRefused> {
    const { restoreThreadFiles } = await import('./restore-thread-files.ts');
    return restoreThreadFiles(this.#opening, id, target, options);
  }

  /** The same for the turns that a rollback of the talk would take back. It has to come before that rollback. */
  async restoreRolledBack(
    id: ThreadId,
    to: RollbackTo,
    options: RestoreOptions,
  ): Promise<RestoreReport | EngineRefused> {
    const { restoreRolledBackFiles } = await import('./restore-thread-files.ts');
    return restoreRolledBackFiles(this.#opening, id, to, options);
  }

  /** What a line refers to by its hash: the whole output of a command, for instance. */
  blob(sha256: string): Promise<LoadedBlob | BlobMissing> {
    return this.#store.blobs.load(sha256);
  }

  /** Packs rollouts that nobody has written to for a while. They are read as before, and unpacked when they go on. */
  compress(which: ToCompress, options: { readonly dryRun: boolean }): Promise<CompressReport | EngineRefused> {
    return this.#upkeep((upkeep) => upkeep.compress(which, options));
  }

  /** Removes what no thread refers to. */
  collect(options: Pick<CollectOptions, 'dryRun' | 'reverted'>): Promise<Collected | EngineRefused> {
    const { maxBytes: maxBlobBytes } = this.#base.config.blobs;
    return this.#upkeep((upkeep) => upkeep.collect({ ...options, maxBlobBytes }));
  }

  /** Refused with a store that is not the home's. */
  async #upkeep<Result>(work: (upkeep: HomeUpkeep) => Promise<Result>): Promise<Result | EngineRefused> {
    const { HomeUpkeep, notTheHome } = await import('./home-upkeep.ts');
    return this.#disk === undefined ? refused(notTheHome) : work(new HomeUpkeep(this.#disk));
  }
}
