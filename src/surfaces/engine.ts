import type { Config } from '../config/config.ts';
import { refusalOf } from '../config/config-problem.ts';
import { providerOf } from '../config/providers.ts';
import { effortFor } from '../envelope/effort-for.ts';
import type { ClientFacts } from '../envelope/facts.ts';
import { type Catalogue, lookUpModel } from '../envelope/model-record.ts';
import type { Settings } from '../envelope/settings.ts';
import { loadCatalogue } from '../gather/catalogue-file.ts';
import { modelNotices } from '../envelope/model-notices.ts';
import { loadEnvFile } from '../gather/config-env-file.ts';
import { configInFolder } from '../gather/config-in-folder.ts';
import { type BaseLayers, type ConfigChoices, loadBaseLayers } from '../gather/config-layers.ts';
import { findRepository, readGitFacts } from '../gather/git.ts';
import { folderProblem } from '../gather/folder.ts';
import { findHome } from '../gather/home.ts';
import { loadInstructionFiles } from '../gather/model-instructions.ts';
import { type ResumedSettings, settingsFrom } from '../gather/settings.ts';
import { systemClock } from '../gather/system-clock.ts';
import { systemIds } from '../gather/system-ids.ts';
import type { BlobMissing, Blobs, LoadedBlob } from '../ports/blobs.ts';
import type { RolloutStore } from '../ports/rollout-store.ts';
import type { Tracer } from '../ports/tracer.ts';
import type { CheckpointReport } from '../protocol/checkpoint-report.ts';
import type { Ordinal, ThreadId, TurnId } from '../protocol/ids.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { ApprovalPolicy, PermissionProfile } from '../protocol/permission-profile.ts';
import type { ThreadCut } from '../protocol/thread-cut.ts';
import type { ThreadHits, ThreadPage, ThreadQuery, ThreadSummary } from '../protocol/thread-summary.ts';
import { nodeFiles } from '../rollout/node-files.ts';
import { type ChosenThread, chooseThread, type NoThread, type ThreadChoice } from '../rollout/choose-thread.ts';
import type { Collected } from '../rollout/collect.ts';
import type { CollectOptions } from '../rollout/collect-options.ts';
import type { CompressReport, ToCompress } from '../rollout/compressed-threads.ts';
import { createEphemeralStore } from '../rollout/ephemeral-store.ts';
import type { IndexProgress, ThreadIndex } from '../rollout/index/thread-index.ts';
import { unknownThread } from '../rollout/refusals.ts';
import type { ThreadArchived, ThreadDeleted } from '../rollout/thread-lifecycle.ts';
import { threadNames } from '../rollout/thread-names.ts';
import { loadTracer } from '../telemetry/load-tracer.ts';
import { type RestoredSettings, restoredSettings } from '../state/restored-settings.ts';
import { lastSettings } from '../state/resumed-settings.ts';
import type { Pin } from '../state/pins.ts';
import type { TurnSummary } from '../state/turn-list.ts';
import { deadTurnNotice } from '../thread/dead-turn.ts';
import type { PinsChanged } from '../thread/pinned-notes.ts';
import type { CheckpointHooks } from '../thread/parts.ts';
import type { CompactionResult } from '../thread/compaction-result.ts';
import { openThread, type ResumedThread } from '../thread/resume.ts';
import type { RollbackTo, RollbackUndone, RolledBack } from '../thread/rollback-range.ts';
import { Thread, type ThreadOptions } from '../thread/thread.ts';
import type { ThreadFiles } from '../workspace/file-changes.ts';
import type { RestoreOptions, RestoreReport, RestoreTarget } from '../workspace/restore-files.ts';
import type { Environment } from './environment.ts';
import { lazySnapshots } from './lazy-snapshots.ts';
import { createHomeStore } from './home-store.ts';
import type { Done, Forceful, ThreadOperations, ThreadOperationsParts, ThreadRenamed } from './thread-operations.ts';
import { createThreadParts } from './thread-parts.ts';

/** What the engine is given by whoever starts it. It looks at nothing else of the process. */
export interface EngineOptions extends ConfigChoices {
  readonly env: Environment;
  readonly client: ClientFacts;
  /** Holds whatever anybody configured: for surfaces that can ask nobody. */
  readonly approval?: ApprovalPolicy;
  /** Holds whatever anybody configured, unless the managed file decides about the sandbox. */
  readonly permissionProfile?: PermissionProfile;
  /** Nothing of what threads do is kept on the disk. */
  readonly ephemeral?: boolean;
  /** Asked before history is folded, and told afterwards. */
  readonly checkpointHooks?: CheckpointHooks;
}

export interface ThreadRequest extends Omit<ThreadOptions, 'settings'> {
  /** Absolute. A resumed thread keeps its own folder when none is given. */
  readonly cwd?: string;
}

/** A checkpoint of a thread, as lists show it. */
export interface ThreadCheckpoint {
  /** Counted from 1 over those that stand. */
  readonly number: number;
  /** The turn in which it was made, or after which. */
  readonly turn?: TurnId;
  readonly at: string;
  /** Absent: another program made it. */
  readonly report?: CheckpointReport;
}

/** A checkpoint that somebody asks for. */
export interface CompactRequest extends ThreadRequest {
  /** What it shall keep in view. */
  readonly focus?: string;
  readonly signal: AbortSignal;
}

/** A thread that is ready for turns, and what is in force in it. */
export interface OpenedThread {
  readonly kind: 'opened';
  readonly thread: Thread;
  readonly settings: Settings;
  /** What a thread that goes on took from its own past; absent for a new one. */
  readonly restored?: RestoredSettings;
  /** What a person should know: repairs and lines that could not be read. */
  readonly notices: readonly Outcome[];
}

export interface EngineRefused {
  readonly kind: 'refused';
  readonly outcome: Outcome;
}

interface Chosen {
  readonly config: Config;
  readonly catalogue: Catalogue;
  readonly settings: Settings;
  readonly notices: readonly Outcome[];
}

/** The composition root and the one facade: makes the parts, hands out threads. */
export class Engine {
  readonly kind = 'engine';
  /** Warnings about the configuration that holds everywhere. What a project adds is told when a thread is opened. */
  readonly notices: readonly Outcome[];
  readonly #options: EngineOptions;
  readonly #base: BaseLayers;
  readonly #store: RolloutStore;
  readonly #blobs: Blobs;
  readonly #operationParts: ThreadOperationsParts;
  readonly #tracer: Tracer;

  private constructor(options: EngineOptions, base: BaseLayers, notices: readonly Outcome[], tracer: Tracer) {
    this.#tracer = tracer;
    this.#options = options;
    this.#base = base;
    this.notices = notices;
    const { store, blobs, disk } = createHomeStore(base.home, { maxBlobBytes: base.config.blobs.maxBytes });
    this.#blobs = blobs;
    const indexFolder = options.env['CODEX_SQLITE_HOME'] ?? base.home;
    this.#operationParts = { ...disk, store, ids: systemIds(systemClock), indexFolder };
    this.#store = options.ephemeral === true ? createEphemeralStore(store, systemClock) : store;
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

  /** Whether there is a model to talk to: somebody named one. */
  get hasModel(): boolean {
    return (this.#base.config.model ?? this.#base.requirements.newThread?.model) !== undefined;
  }

  /** The thread that somebody means. */
  choose(choice: ThreadChoice): Promise<ChosenThread | NoThread> {
    return chooseThread(nodeFiles, this.#base.home, choice);
  }

  async start({ cwd, ...options }: ThreadRequest & { readonly cwd: string }): Promise<OpenedThread | EngineRefused> {
    const chosen = await this.#configure({ cwd });
    if ('code' in chosen) return refused(chosen);
    const { settings, notices } = chosen;
    const parts = this.#parts(chosen);
    if ('code' in parts) return refused(parts);
    const thread = await Thread.start(parts, { ...options, settings }, gitFacts(cwd));
    if (!(thread instanceof Thread)) return refused(thread);
    return { kind: 'opened', thread, settings, notices };
  }

  /** Goes on with a thread under its last settings, unless flags say otherwise. */
  async resume(id: ThreadId, { cwd, ...options }: ThreadRequest): Promise<OpenedThread | EngineRefused> {
    const resumed = await openThread(this.#store, id);
    if (resumed.kind === 'refused') return refused(resumed);
    const last = lastSettings(resumed.state);
    const chosen = await this.#configure({ cwd: cwd ?? last.cwd ?? this.#options.cwd, resumed: last });
    const parts = 'code' in chosen ? chosen : this.#parts(chosen);
    if ('code' in chosen || 'code' in parts) {
      await resumed.owned.close();
      return refused('code' in chosen ? chosen : (parts as Outcome));
    }
    const { settings, notices } = chosen;
    const thread = await Thread.resume(parts, resumed, { ...options, settings });
    const restored = restoredSettings(resumed.state, settings);
    return { kind: 'opened', thread, settings, restored, notices: [...notices, ...noticesOf(id, resumed)] };
  }

  /**
   * Makes a checkpoint of a thread that nobody writes, as a task of its own. Unless it is installed, the history stands
   * as it was.
   */
  async compact(
    id: ThreadId,
    { focus, signal, ...request }: CompactRequest,
  ): Promise<CompactionResult | EngineRefused> {
    const opened = await this.resume(id, request);
    if (opened.kind === 'refused') return opened;
    for (const outcome of opened.notices) request.listener({ kind: 'warning', outcome });
    const { thread } = opened;
    try {
      return await thread.compact({ signal, ...(focus === undefined ? {} : { focus }) });
    } finally {
      await thread.close();
    }
  }

  /**
   * Begins a thread that goes on from a place of another, and copies nothing. It keeps the other's settings of that
   * place, unless flags say otherwise. The other thread may be written meanwhile, or be archived.
   */
  async fork(id: ThreadId, cut: ThreadCut, { cwd, ...options }: ThreadRequest): Promise<OpenedThread | EngineRefused> {
    const { findForkPoint, forkThread } = await import('../thread/fork.ts');
    const point = await findForkPoint(this.#store, id, cut);
    if (point.kind === 'refused') return refused(point);
    const last = lastSettings(point.state);
    const chosen = await this.#configure({ cwd: cwd ?? last.cwd ?? this.#options.cwd, resumed: last });
    if ('code' in chosen) return refused(chosen);
    const parts = this.#parts(chosen);
    if ('code' in parts) return refused(parts);
    const { settings, notices } = chosen;
    const forked = await forkThread(parts, point, { settings, git: gitFacts(settings.cwd) });
    if (forked.kind === 'refused') return refused(forked);
    const name = (await threadNames(nodeFiles, this.#base.home)).get(id);
    if (name !== undefined && this.#options.ephemeral !== true) await this.rename(forked.id, name);
    const thread = await Thread.resume(parts, forked, { ...options, settings });
    return { kind: 'opened', thread, settings, notices: [...notices, ...noticesOf(id, forked)] };
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

  async pins(id: ThreadId): Promise<readonly Pin[]> {
    const { pinsOf } = await import('../thread/pinned-notes.ts');
    return pinsOf(this.#store, id);
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

  /** The turns of a thread that were not taken back. */
  async turns(id: ThreadId): Promise<readonly TurnSummary[]> {
    const [{ turnList }, { concernsLists }] = await Promise.all([
      import('../state/turn-list.ts'),
      import('../rollout/index/thread-fold.ts'),
    ]);
    return turnList(this.#store.read(id, { from: 0 as Ordinal, wanted: concernsLists }));
  }

  /** The checkpoints of a thread that stand, oldest first. */
  async checkpoints(id: ThreadId): Promise<readonly ThreadCheckpoint[]> {
    const { readPlaces } = await import('../thread/find-turn.ts');
    const { turns, checkpoints } = await readPlaces(this.#store, id);
    return checkpoints.map(({ turns: begun, timestamp: at, report }, index) => {
      const turn = turns[begun - 1]?.id;
      return {
        number: index + 1,
        ...(turn === undefined ? {} : { turn }),
        at,
        ...(report === undefined ? {} : { report }),
      };
    });
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
    const { ThreadIndex } = await import('../rollout/index/thread-index.ts');
    return new ThreadIndex({ home: this.#base.home, clock: systemClock });
  }

  /** What holds for a thread in its folder. */
  async #configure(choices: { readonly cwd: string; readonly resumed?: ResumedSettings }): Promise<Chosen | Outcome> {
    const missing = folderProblem(choices.cwd);
    if (missing !== undefined) return missing;
    const { config, problems } = await configInFolder(this.#base, choices.cwd);
    const error = refusalOf(problems);
    if (error !== undefined) return error;
    const texts = loadInstructionFiles(config);
    if ('code' in texts) return texts;
    const catalogue = loadCatalogue(config);
    if ('code' in catalogue) return catalogue;
    const { approval, permissionProfile: profile } = this.#options;
    const made = settingsFrom(config, {
      ...choices,
      ...texts,
      ...(approval === undefined ? {} : { approval }),
      ...(profile === undefined ? {} : { profile }),
      requirements: this.#base.requirements,
    });
    if ('code' in made) return made;
    const settings = withFittingEffort(made.settings, choices.resumed, catalogue);
    const notices = [...problems, ...made.notices, ...modelNotices(catalogue, settings)];
    return { config, catalogue, settings, notices };
  }

  #parts({ config, catalogue, settings }: Chosen) {
    const provider = providerOf(config, settings.provider);
    if ('code' in provider) return provider;
    const { env, osHome, client, checkpointHooks } = this.#options;
    return createThreadParts({
      env,
      osHome,
      client,
      provider,
      config,
      catalogue,
      home: this.#base.home,
      store: this.#store,
      clock: systemClock,
      ids: systemIds(systemClock),
      settings,
      tracer: this.#tracer,
      requirements: this.#base.requirements,
      ephemeral: this.#options.ephemeral === true,
      ...(checkpointHooks === undefined ? {} : { checkpointHooks }),
    });
  }

  /** Brings back files that turns of a thread changed. */
  async restoreFiles(
    id: ThreadId,
    target: RestoreTarget,
    options: RestoreOptions,
  ): Promise<RestoreReport | EngineRefused> {
    const { restoreFiles } = await import('../workspace/restore-files.ts');
    const { nodeWorkspaceDisk: disk } = await import('../workspace/node-workspace-disk.ts');
    const { env, osHome } = this.#options;
    const { home, config } = this.#base;
    const ids = systemIds(systemClock);
    const snapshots = lazySnapshots({ env, osHome, home, config, ids, clock: systemClock });
    return restoreFiles({ home, threads: this.#store, snapshots, disk, ids }, id, target, options);
  }

  /** The same for the turns that a rollback of the talk would take back. It has to come before that rollback. */
  async restoreRolledBack(
    id: ThreadId,
    to: RollbackTo,
    options: RestoreOptions,
  ): Promise<RestoreReport | EngineRefused> {
    const { firstTaken } = await import('../thread/rollback-range.ts');
    const { readPlaces } = await import('../thread/find-turn.ts');
    const first = firstTaken(id, await readPlaces(this.#store, id), to);
    return 'code' in first ? refused(first) : this.restoreFiles(id, { beforeTurn: first.id }, options);
  }

  /** What turns of a thread changed in files, as far as snapshots tell. */
  async fileChanges(id: ThreadId): Promise<ThreadFiles> {
    const { fileChanges } = await import('../workspace/file-changes.ts');
    return fileChanges(this.#base.home, this.#store, id);
  }

  /** What a line refers to by its hash: the whole output of a command, for instance. */
  blob(sha256: string): Promise<LoadedBlob | BlobMissing> {
    return this.#blobs.load(sha256);
  }

  /** Packs rollouts that nobody has written to for a while. They are read as before, and unpacked when they go on. */
  async compress(which: ToCompress, { dryRun }: { readonly dryRun: boolean }): Promise<CompressReport | EngineRefused> {
    const { compressThreads } = await import('../rollout/compressed-threads.ts');
    const report = await compressThreads(this.#operationParts, which, { dryRun });
    return 'code' in report ? refused(report) : report;
  }

  /** Removes what no thread refers to. */
  async collect(options: Pick<CollectOptions, 'dryRun' | 'reverted'>): Promise<Collected> {
    const { collect } = await import('../rollout/collect.ts');
    const snapshots = await import('../workspace/collect.ts');
    const { home, config } = this.#base;
    const young = { now: systemClock.now(), graceMs: 3_600_000 };
    return collect({
      ...this.#operationParts,
      maxBlobBytes: config.blobs.maxBytes,
      collectSnapshots: (trees) => snapshots.collect(home, trees, young),
      ...options,
    });
  }
}

function gitFacts(cwd: string): JsonObject | undefined {
  const root = findRepository(cwd);
  return root === undefined ? undefined : (readGitFacts(root) as JsonObject);
}

function refused(outcome: Outcome): EngineRefused {
  return { kind: 'refused', outcome };
}

/** A thread that goes on with another model keeps its effort if that model has it. */
function withFittingEffort(settings: Settings, resumed: ResumedSettings | undefined, catalogue: Catalogue): Settings {
  if (resumed?.model === undefined || settings.origins?.['effort'] !== 'thread') return settings;
  const { effort: had, ...rest } = settings;
  const before = { model: resumed.model, ...(had === undefined ? {} : { effort: had }) };
  const effort = effortFor(lookUpModel(catalogue, settings.model), before);
  return effort === undefined ? rest : { ...rest, effort };
}

function noticesOf(
  id: ThreadId,
  { owned, skipped, missingBlobs = [], state }: Pick<ResumedThread, 'owned' | 'skipped' | 'missingBlobs' | 'state'>,
): readonly Outcome[] {
  const dead = deadTurnNotice(id, state);
  const notices: Outcome[] = dead === undefined ? [] : [dead];
  if (owned.torn !== undefined) {
    notices.push({
      code: 'torn-tail',
      message: `The last line of thread ${id} was torn and has been cut off (${owned.torn.bytes} bytes).`,
      next: 'Nothing that was shown is lost.',
    });
  }
  if (skipped > 0) {
    const [lines, were] = skipped === 1 ? ['A line', 'was'] : [`${skipped} lines`, 'were'];
    notices.push({
      code: 'lines-skipped',
      message: `${lines} of thread ${id} could not be read and ${were} passed over.`,
      next: 'The model does not see what stood there; the rest of the thread is as it was.',
    });
  }
  if (missingBlobs.length > 0) {
    notices.push({
      code: 'blobs-missing',
      message: `The tools of earlier requests of thread ${id} are not there any more: ${missingBlobs.join(', ')}.`,
      next: 'The thread goes on, but those requests cannot be rebuilt. Bring capstan/blobs of the home folder back from a copy.',
    });
  }
  return notices;
}
