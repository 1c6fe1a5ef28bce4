import { refusalOf } from '../../config/config-problem.ts';
import { loadEnvFile } from '../../gather/config-env-file.ts';
import { type BaseLayers, loadBaseLayers } from '../../gather/config-layers.ts';
import { findHome } from '../../gather/home.ts';
import { systemClock } from '../../gather/system-clock.ts';
import { systemIds } from '../../gather/system-ids.ts';
import { deniesRead } from '../../policy/denied-reads.ts';
import type { BlobMissing, Blobs, LoadedBlob } from '../../ports/blobs.ts';
import type { RolloutStore } from '../../ports/rollout-store.ts';
import type { Tracer } from '../../ports/tracer.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ThreadCut } from '../../protocol/thread-cut.ts';
import type { ThreadHits, ThreadPage, ThreadQuery, ThreadSummary } from '../../protocol/thread-summary.ts';
import { type ChosenThread, chooseThread, type NoThread, type ThreadChoice } from '../../rollout/choose-thread.ts';
import type { Collected } from '../../rollout/collect.ts';
import type { CollectOptions } from '../../rollout/collect-options.ts';
import type { CompressReport, ToCompress } from '../../rollout/compressed-threads.ts';
import { createEphemeralStore } from '../../rollout/ephemeral-store.ts';
import type { IndexProgress, ThreadIndex } from '../../rollout/index/thread-index.ts';
import { nodeFiles } from '../../rollout/node-files.ts';
import { unknownThread } from '../../rollout/refusals.ts';
import type { ThreadArchived, ThreadDeleted } from '../../rollout/thread-lifecycle.ts';
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
  readonly #store: RolloutStore;
  readonly #blobs: Blobs;
  readonly #opening: OpeningParts;
  readonly #operationParts: ThreadOperationsParts;
  readonly #open = new Map<ThreadId, Thread>();

  private constructor(options: EngineOptions, base: BaseLayers, notices: readonly Outcome[], tracer: Tracer) {
    this.notices = notices;
    this.#base = base;
    const { store, blobs, seals, disk } = createHomeStore(base.home, { maxBlobBytes: base.config.blobs.maxBytes });
    this.#blobs = blobs;
    const indexFolder = options.env['CODEX_SQLITE_HOME'] ?? base.home;
    this.#operationParts = { ...disk, store, seals, ids: systemIds(systemClock), indexFolder };
    this.#store = options.ephemeral === true ? createEphemeralStore(store, systemClock) : store;
    this.#opening = { options, base, store: this.#store, seals, tracer };
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
    return chooseThread(nodeFiles, this.#base.home, choice);
  }

  /** The threads that this engine has open: from their opening until they are closed. */
  get threads(): readonly Thread[] {
    return [...this.#open.values()];
  }

  /** One of them. */
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
    const deleted = await (await this.#operations()).delete(id, options);
    await (await this.#index()).forgetLost();
    return deleted;
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
    const { state } = await withoutUnproven(this.#opening, id, (await foldThread(this.#store, id)).state);
    return state.waiting.map((message) => unsealed<WaitingMessage>(message));
  }

  /** Messages and notes that the file of a thread has in the user's name and that do not count, set aside or not. */
  async unproven(id: ThreadId): Promise<Unproven> {
    const { findUnproven } = await import('../../thread/unproven.ts');
    const { readSetAside } = await import('../../thread/read-set-aside.ts');
    const before = await readSetAside(this.#store, id);
    const now = await findUnproven(this.#opening, id, (await foldThread(this.#store, id)).state);
    return { messages: [...before.messages, ...now.messages], pins: [...before.pins, ...now.pins] };
  }

  /** Loaded on use: most runs do none of it. */
  async #operations(): Promise<ThreadOperations> {
    const { ThreadOperations } = await import('./thread-operations.ts');
    return new ThreadOperations(this.#operationParts);
  }

  /** Threads of this home, whoever wrote them. */
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

  /** The home, if the index should be brought up to date before somebody waits for it, and nobody does so already. */
  async takeReading(): Promise<string | undefined> {
    return (await (await this.#index()).takeReading()) ? this.#base.home : undefined;
  }

  /** Loaded on use, like the operations. */
  async #index(): Promise<ThreadIndex> {
    const { ThreadIndex } = await import('../../rollout/index/thread-index.ts');
    return new ThreadIndex({ home: this.#base.home, clock: systemClock });
  }

  /** What the next turn of a thread would begin with, if it were resumed now. Only reads. */
  async preview(id: ThreadId, state: ThreadState): Promise<ForeseenRequest | Outcome> {
    const { previewThread } = await import('./preview-thread.ts');
    return previewThread(this.#opening, id, state);
  }

  /** The turns of a thread that were not taken back. */
  async turns(id: ThreadId): Promise<readonly TurnSummary[]> {
    const { readTurnList } = await import('../../thread/find-turn.ts');
    return readTurnList(this.#store, id);
  }

  /** The checkpoints of a thread that stand, oldest first. */
  async checkpoints(id: ThreadId): Promise<readonly ThreadCheckpoint[]> {
    const { checkpointsOf } = await import('./thread-checkpoints.ts');
    return checkpointsOf(this.#store, id);
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
    return this.#blobs.load(sha256);
  }

  /** Packs rollouts that nobody has written to for a while. They are read as before, and unpacked when they go on. */
  async compress(which: ToCompress, { dryRun }: { readonly dryRun: boolean }): Promise<CompressReport | EngineRefused> {
    const { compressThreads } = await import('../../rollout/compressed-threads.ts');
    const report = await compressThreads(this.#operationParts, which, { dryRun });
    return 'code' in report ? refused(report) : report;
  }

  /** Removes what no thread refers to. */
  async collect(options: Pick<CollectOptions, 'dryRun' | 'reverted'>): Promise<Collected> {
    const { collectUnused } = await import('./collect-unused.ts');
    return collectUnused({ ...this.#operationParts, maxBlobBytes: this.#base.config.blobs.maxBytes, ...options });
  }
}
