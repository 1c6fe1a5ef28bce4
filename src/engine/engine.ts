import { systemClock } from '../adapters/gather/clock-and-ids.ts';
import { type BaseLayers, loadBaseLayers } from '../adapters/gather/config/config-layers.ts';
import { forgetLandlockWriter } from '../adapters/gather/config/landlock-writers.ts';
import { loadImage } from '../adapters/gather/files/load-image.ts';
import { findRepository, readGitFacts } from '../adapters/gather/git/repository.ts';
import { findHome, loadEnvFile } from '../adapters/gather/home.ts';
import { claimOneTimeNotice, nextTipIndex } from '../adapters/gather/one-time-notices.ts';
import { folderProblem } from '../adapters/gather/permission-places.ts';
import { createSender } from '../adapters/model/http/network/exchange.ts';
import { smallRequests } from '../adapters/model/http/small-requests.ts';
import { defined } from '../base/objects.ts';
import type { Config } from '../core/config/config.ts';
import { combinedError } from '../core/config/layer-order.ts';
import { readOtel } from '../core/config/otel.ts';
import { validateOptions, stringOption } from '../core/envelope/read-options.ts';
import { deniesRead } from '../core/policy/requirements.ts';
import type { ThreadState } from '../core/state/thread-state.ts';
import { sandboxNotices } from '../ports/sandbox.ts';
import type { OpenThread, Threads, WantedThread } from '../ports/threads.ts';
import type { Tracer } from '../ports/tracer.ts';
import type { ThreadId } from '../protocol/ids.ts';
import { isJsonObject } from '../protocol/json.ts';
import type { Line } from '../protocol/line.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { Answer } from '../protocol/question.ts';
import type { EnvironmentVariables } from '../protocol/shell.ts';
import type { ThreadCut } from '../protocol/thread.ts';
import type { UserImage } from '../protocol/user-input.ts';
import { nodeVersionProblem } from '../protocol/version.ts';
import type { AgentLiveThreads } from './agents/open-agent-threads.ts';
import type { AnsweredThread, AnswerRequest, ThreadQuestionAnswerer } from './answer-thread.ts';
import { argumentProblem, folderPathOption, requireArguments, threadIdOption } from './check-arguments.ts';
import { type EngineOptions, engineOptions, withAbsolutePaths } from './engine-options.ts';
import { createEngineParts, type EngineParts } from './engine-parts.ts';
import { type EngineRefused, engineRefused } from './engine-refused.ts';
import { HomeConfig } from './home/home-config.ts';
import { TrustDecisions } from './home/trust-decisions.ts';
import { UserHome } from './home/user-home.ts';
import type { LiveEngine } from './live/live-thread-types.ts';
import type { ForeseenRequest, PreviewedResume } from './preview-thread.ts';
import type { RerunAnswers, RerunStep } from './rerun-step.ts';
import type { ReviewCode, ReviewedCode } from './review/review-code.ts';
import type { CommandSandbox, SandboxRequest } from './sandbox/command-sandbox.ts';
import type { UnpackedBubblewrap } from './sandbox/unpack-bubblewrap.ts';
import { StoredThreads } from './store/stored-threads.ts';
import { readStartOptions, readThreadCut, readThreadOptions, threadOnlyOptions } from './thread-request.ts';
import type { ThreadRequest } from './thread-request.ts';
import { type OpenedThread, openFork, resumeThread, startThread } from './thread-setup/open-thread.ts';
import type { RollbackTarget } from './thread/branch/rollback-range.ts';
import type { Thread } from './thread/thread.ts';
import { validateRestoreOptions, validateRestoreTarget, validateRollbackTarget } from './undo/restore-arguments.ts';
import type { RestoreOptions, RestoreTarget } from './undo/restore-files.ts';
import type { FileIndex, FindFiles, FoundFiles, Mentionable } from './workspace/find-mentionable.ts';
import { randomBytes } from 'node:crypto';

const sealsWithoutStore: Outcome = {
  code: 'seals-without-store',
  message: 'You gave seals without a store. Capstan signs the files of a home folder with its own key.',
  next: 'Give the store that the seals belong to, or leave them out.',
};

/** A choice for one run counts like a flag, so that managed settings override it. */
function withFallbackKey(options: EngineOptions): EngineOptions {
  const { sandboxFallback, config = [] } = options;
  if (sandboxFallback === undefined) return options;
  const key = { path: ['sandbox_fallback'], value: sandboxFallback };
  const given = isJsonObject(config)
    ? { ...config, sandbox_fallback: sandboxFallback }
    : [...(config as object[]), key];
  return { ...options, config: given as EngineOptions['config'] & object };
}

/** Warnings to show once, since their reader can do nothing more about them. `by words`: again if the words differ. */
const saidOnce: Readonly<Record<string, 'once' | 'by words'>> = {
  ...sandboxNotices,
  'tui-unused-keys': 'by words',
};

/** The composition root and the one facade: makes what threads share, once, and opens threads. */
export class Engine {
  readonly kind = 'engine';
  /** Warnings about the global configuration. Those of a project are reported when a thread is opened. */
  readonly notices: readonly Outcome[];
  readonly stored: StoredThreads;
  readonly config: HomeConfig;
  readonly trust: TrustDecisions;
  readonly user: UserHome;
  readonly #parts: EngineParts;
  readonly #traced: EngineTracer;
  readonly #open = new Map<ThreadId, Thread>();
  readonly #beforeClose: (() => Promise<void>)[] = [];
  #agentLive: AgentLiveThreads | undefined;
  #answers: ThreadQuestionAnswerer | undefined;

  private constructor(options: EngineOptions, base: BaseLayers, notices: readonly Outcome[], traced: EngineTracer) {
    this.notices = notices;
    this.#traced = traced;
    this.#parts = createEngineParts(options, base, {
      tracer: traced.tracer,
      threads: threadsPort(this),
      agentLive: () => this.#agentLive,
      askModel: async (asked) => (await import('./models/ask-model.ts')).askModel(this, asked),
    });
    this.stored = new StoredThreads(this.#parts);
    this.config = new HomeConfig(this.#parts);
    this.trust = new TrustDecisions(this.#parts);
    this.user = new UserHome(this.#parts);
  }

  /** Reads the global configuration. Its gravest error refuses the engine. */
  static async load(given: EngineOptions): Promise<Engine | EngineRefused> {
    const tooOld = nodeVersionProblem(process.versions.node);
    if (tooOld !== undefined) return engineRefused(tooOld);
    const read = validateOptions<EngineOptions>(given, engineOptions, 'Engine.load()', threadOnlyOptions);
    const options = 'code' in read ? read : withAbsolutePaths(read);
    if ('code' in options) return engineRefused(options);
    if (options.seals !== undefined && options.store === undefined) return engineRefused(sealsWithoutStore);
    const home = findHome(options.env, options.osHome);
    if ('code' in home) return engineRefused(home);
    const { env, problems } = loadEnvFile(home.path, options.env);
    const base = await loadBaseLayers(home.path, withFallbackKey(options));
    const error = combinedError(base.problems);
    if (error !== undefined) return engineRefused(error);
    const traced = await loadEngineTracer(base.config, env);
    return new Engine({ ...options, env }, base, [...problems, ...base.problems, ...traced.notices], traced);
  }

  branchAt(folder: string): string | undefined {
    requireArguments('branchAt()', { folder: [folderPathOption, folder] });
    const root = findRepository(folder);
    return root === undefined ? undefined : readGitFacts(root, { denies: this.#denies }).branch;
  }

  readonly #denies = (file: string): boolean => deniesRead(this.#parts.base.requirements, file);

  get home(): string {
    return this.#parts.base.home;
  }

  /** Returns true if a user should read the warning: some need to be read only once. `keeps`: records it as read. */
  recordIfNews({ code, message }: Outcome, { keeps = true }: { readonly keeps?: boolean } = {}): boolean {
    const how = saidOnce[code];
    const words = how === 'once' ? undefined : message;
    return how === undefined || claimOneTimeNotice(this.home, { name: code, keeps, words });
  }

  /** The index of the tip for the terminal's next start. Undefined: the home keeps nothing. */
  nextTipIndex(name: 'tip', count: number): number | undefined {
    return nextTipIndex(this.home, name, count);
  }

  /** Same in every process of the home, different for each purpose. Undefined while the home's key cannot be used. */
  secretFor(purpose: string): string | undefined {
    return this.#parts.seals.seal(`secret for ${purpose}`);
  }

  /** Loads a picture for a turn, unless the machine's manager forbids giving it to a model. May be a relative path. */
  async loadImage(path: string, cwd: string): Promise<UserImage | Outcome> {
    const problem = argumentProblem('loadImage()', { path: [stringOption, path], cwd: [folderPathOption, cwd] });
    return problem ?? loadImage(path, cwd, { denies: this.#denies, resize: this.#parts.resizeImage });
  }

  /** True if commands in a folder would be refused that Landlock could hold, and the user has not decided about it. */
  async offersLandlock(cwd: string): Promise<boolean> {
    requireArguments('offersLandlock()', { cwd: [folderPathOption, cwd] });
    const { base, sandbox, sandboxOptions } = this.#parts;
    if (base.config.sandboxFallback !== undefined || sandboxOptions.landlock !== 'never') return false;
    if (!(await sandbox.offersLandlock())) return false;
    return (await import('./sandbox/command-sandbox.ts')).needsSandboxIn(this.#parts, cwd);
  }

  /** Returns why every command in a folder would be refused. Undefined if they run, or the user chose so. */
  async commandsRefused(cwd: string): Promise<Outcome | undefined> {
    const problem = argumentProblem('commandsRefused()', { cwd: [folderPathOption, cwd] });
    if (problem !== undefined) return problem;
    const { base, sandbox, sandboxOptions } = this.#parts;
    if (base.config.sandboxFallback === 'none') return undefined;
    if (sandboxOptions.landlock !== 'always' && (await sandbox.bubblewrapProblem()) === undefined) return undefined;
    return (await import('./sandbox/command-sandbox.ts')).sandboxRefusalIn(this.#parts, cwd);
  }

  /** Checks that threads can work in a folder, and finds the repository around it. */
  lookAtFolder(path: string): { readonly repository: string | undefined } | Outcome {
    const problem = argumentProblem('lookAtFolder()', { path: [folderPathOption, path] });
    return problem ?? folderProblem(path) ?? { repository: findRepository(path) };
  }

  get threads(): readonly Thread[] {
    return [...this.#open.values()];
  }

  thread(id: ThreadId): Thread | undefined {
    return this.#open.get(id);
  }

  async start(request: ThreadRequest & { readonly cwd: string }): Promise<OpenedThread | EngineRefused> {
    const read = readStartOptions(request);
    return 'code' in read ? engineRefused(read) : this.#noted(startThread(this.#parts, read));
  }

  /** Resumes a thread under its last settings, unless the request or the flags of the engine say otherwise. */
  async resume(id: ThreadId, request: ThreadRequest = {}): Promise<OpenedThread | EngineRefused> {
    const problem = argumentProblem('resume()', { id: [threadIdOption, id] });
    const read = problem ?? readThreadOptions(request, 'resume()');
    return 'code' in read ? engineRefused(read) : this.#noted(resumeThread(this.#parts, id, read));
  }

  /**
   * Begins a thread that continues from a place in another without copying. It keeps the settings of that place, unless
   * flags say otherwise, and has no name. The other thread may be archived or written meanwhile.
   */
  async fork(id: ThreadId, cut: ThreadCut, request: ThreadRequest = {}): Promise<OpenedThread | EngineRefused> {
    const problem = argumentProblem('fork()', { id: [threadIdOption, id] });
    const read = problem ?? readThreadOptions(request, 'fork()');
    if ('code' in read) return engineRefused(read);
    const place = readThreadCut(cut);
    return 'code' in place ? engineRefused(place) : this.#noted(openFork(this.#parts, { id, cut: place }, read));
  }

  /**
   * Answers a question of a thread, open or not; resolves when the answer is durable. A suspended thread is opened and
   * its turn continued under the narrower of its policy and the current one. Its other questions wait for their own
   * answers, unless the request says who is asked. Refused while another process writes the thread.
   */
  async answer(
    id: ThreadId,
    questionId: string,
    answer: Answer,
    request: AnswerRequest,
  ): Promise<AnsweredThread | EngineRefused> {
    const problem = argumentProblem('answer()', { id: [threadIdOption, id], questionId: [stringOption, questionId] });
    if (problem !== undefined) return engineRefused(problem);
    const { ThreadQuestionAnswerer } = await import('./answer-thread.ts');
    this.#answers ??= new ThreadQuestionAnswerer(this);
    return this.#answers.give(id, { questionId, answer }, request);
  }

  async #noted(opening: Promise<OpenedThread | EngineRefused>): Promise<OpenedThread | EngineRefused> {
    const opened = await opening;
    if (opened.kind === 'refused') return opened;
    const { thread } = opened;
    this.#open.set(thread.id, thread);
    thread.subscribe({ ended: () => void this.#open.delete(thread.id) });
    return opened;
  }

  get forLive(): LiveEngine {
    return {
      store: this.#parts.store,
      startAgain: (id, request, { settings: kept }) =>
        this.#noted(startThread(this.#parts, { ...request, cwd: kept.cwd }, { id, kept })),
      resume: (id, request, kept) => this.#noted(resumeThread(this.#parts, id, request, kept)),
      beforeClose: (work) => void this.#beforeClose.push(work),
      openAgents: (live) => void (this.#agentLive = live),
    };
  }

  /** Gives up all threads, live ones for good; end their turns first. Rejects with the first failure, at the end. */
  async close(): Promise<void> {
    const before = await Promise.allSettled(this.#beforeClose.map((work) => work()));
    const closed = await Promise.allSettled(this.threads.map((thread) => thread.close()));
    forgetLandlockWriter(this.#parts.base.home);
    await this.#traced.flush();
    for (const result of [...before, ...closed]) if (result.status === 'rejected') throw result.reason;
  }

  /** The sandbox for a command that the user, not a model, gives. */
  async openSandbox(request: SandboxRequest): Promise<CommandSandbox | Outcome> {
    return (await import('./sandbox/command-sandbox.ts')).openSandbox(this.#parts, request);
  }

  /** Finds files and folders whose paths match typed text, best first, without those that git ignores. */
  async findFiles(search: FindFiles): Promise<FoundFiles | Outcome> {
    return (await import('./workspace/find-mentionable.ts')).findWorkspaceFiles(this.#parts, search);
  }

  /** Like `findFiles`, for a user who is typing: one index serves every letter. */
  async openFileIndex(cwd: string): Promise<FileIndex> {
    requireArguments('openFileIndex()', { cwd: [folderPathOption, cwd] });
    return (await import('./workspace/find-mentionable.ts')).openFileIndex(this.#parts, cwd);
  }

  async findMentionable(cwd: string): Promise<Mentionable | Outcome> {
    const problem = argumentProblem('findMentionable()', { cwd: [folderPathOption, cwd] });
    return problem ?? (await import('./workspace/find-mentionable.ts')).findMentionable(this.#parts, cwd);
  }

  /** Reviews code in a thread of its own. The asking thread reads the findings with its next turn. */
  async review(asked: ReviewCode): Promise<ReviewedCode | EngineRefused> {
    return (await import('./review/review-code.ts')).reviewCode(this, this.#parts, asked);
  }

  async instructionPaths(folder: string): Promise<readonly string[]> {
    requireArguments('instructionPaths()', { folder: [folderPathOption, folder] });
    return (await import('./home/folder-config.ts')).instructionPaths(this.#parts, folder);
  }

  async unpackBubblewrap(): Promise<UnpackedBubblewrap | Outcome> {
    return (await import('./sandbox/unpack-bubblewrap.ts')).unpackBubblewrap(this.#parts);
  }

  /** Foresees the start of a thread's next turn, if it were resumed now. Only reads. */
  async preview(id: ThreadId, state: ThreadState, as?: PreviewedResume): Promise<ForeseenRequest | Outcome> {
    const { previewArguments, previewThread } = await import('./preview-thread.ts');
    const problem = argumentProblem('preview()', {
      id: [threadIdOption, id],
      state: [previewArguments.state, state],
      as: [previewArguments.as, as, 'absent'],
    });
    return problem ?? previewThread(this.#parts, id, state, as);
  }

  /** Sends the request of a past step again, to the same or another model. Only reads: no call is run. */
  async rerun(
    thread: { readonly id: ThreadId; readonly lines: readonly Line[] },
    asked: RerunStep,
  ): Promise<RerunAnswers | Outcome> {
    const { rerunStep, rerunThreadOption } = await import('./rerun-step.ts');
    const problem = argumentProblem('rerun()', { thread: [rerunThreadOption, thread] });
    return problem ?? rerunStep(this.#parts, thread, asked);
  }

  async restoreFiles(id: ThreadId, givenTarget: RestoreTarget, given: RestoreOptions) {
    const options = validateRestoreOptions(given);
    const target =
      argumentProblem('restoreFiles()', { id: [threadIdOption, id] }) ?? validateRestoreTarget(givenTarget);
    if ('code' in target) return engineRefused(target);
    if ('code' in options) return engineRefused(options);
    return (await import('./undo/restore-thread-files.ts')).restoreThreadFiles(this.#parts, id, target, options);
  }

  /** Like `restoreFiles`, for the turns that a rollback of the conversation would remove. Call it before that. */
  async restoreRolledBack(id: ThreadId, givenTo: RollbackTarget, given: RestoreOptions) {
    const options = validateRestoreOptions(given);
    const to = argumentProblem('restoreRolledBack()', { id: [threadIdOption, id] }) ?? validateRollbackTarget(givenTo);
    if ('code' in to) return engineRefused(to);
    if ('code' in options) return engineRefused(options);
    return (await import('./undo/restore-thread-files.ts')).restoreRolledBackFiles(this.#parts, id, to, options);
  }
}

function threadsPort(engine: Pick<Engine, 'threads' | 'start' | 'resume' | 'fork'>): Threads {
  const asOpen = (thread: Thread): OpenThread => {
    return { kind: 'thread', id: thread.id, run: (turn) => thread.run(turn), close: () => thread.close() };
  };
  const given = (opened: OpenedThread | EngineRefused): OpenThread | EngineRefused =>
    opened.kind === 'refused' ? opened : asOpen(opened.thread);
  return {
    get open() {
      return engine.threads.map(asOpen);
    },
    start: async ({ cwd, ...wanted }) => given(await engine.start({ cwd, ...requestOf(wanted) })),
    resume: async (id, wanted) => given(await engine.resume(id, requestOf(wanted))),
    fork: async (id, cut, wanted) => given(await engine.fork(id, cut, requestOf(wanted))),
  };
}

/** The approval policy that the call asks for applies only while the call has the thread open. */
const requestOf = ({ approvals: heldApprovals, ...wanted }: WantedThread): ThreadRequest => ({
  ...wanted,
  ...defined({ heldApprovals }),
});

interface EngineTracer {
  readonly tracer: Tracer;
  readonly notices: readonly Outcome[];
  /** Call before the engine is given up. */
  flush(): Promise<void>;
}

async function loadEngineTracer(
  { otel: given }: Pick<Config, 'otel'>,
  environment: EnvironmentVariables,
): Promise<EngineTracer> {
  const around = await loadTracer(globalThis);
  if (given === undefined) return { tracer: around, notices: [], flush: () => Promise.resolve() };
  const { otel, problems: notices } = readOtel(given);
  if (otel === undefined) return { tracer: around, notices, flush: () => Promise.resolve() };
  // Few users have a collector; the others should not wait for this code.
  const { otlpExporter } = await import('./otlp-exporter.ts');
  const exporter = otlpExporter({
    otel,
    requests: smallRequests(createSender({ environment })),
    clock: systemClock,
    newSpanId: () => randomBytes(8).toString('hex'),
    onLost: (message) => process.emitWarning(message, { code: 'CAPSTAN_TELEMETRY' }),
  });
  const tracer: Tracer = {
    startStep(labels) {
      const spans = [around.startStep(labels), exporter.startStep(labels)];
      return { end: (result) => spans.forEach((span) => span.end(result)) };
    },
  };
  return { tracer, notices, flush: () => exporter.flush() };
}

const registered = Symbol.for('opentelemetry.js.api.1');

/** Costs nothing unless the host program has registered, in `globals`, a receiver of spans. */
async function loadTracer(globals: object): Promise<Tracer> {
  if (!Object.hasOwn(globals, registered)) return silentTracer;
  const { openTelemetryTracer } = await import('../adapters/telemetry/open-telemetry.ts');
  return openTelemetryTracer();
}

export const silentTracer: Tracer = { startStep: () => ({ end: () => {} }) };
