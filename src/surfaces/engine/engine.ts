import { type ConfigLayer, sourceOf } from '../../config/config-layer.ts';
import { refusalOf } from '../../config/config-problem.ts';
import { camelCased } from '../../config/camel-case.ts';
import { tuiTable } from '../../config/tui-keys.ts';
import { type TuiSettings, tuiSettings } from '../../config/tui-settings.ts';
import { loadEnvFile } from '../../gather/config/config-env-file.ts';
import { type BaseLayers, loadBaseLayers } from '../../gather/config/config-layers.ts';
import { isFirstTime } from '../../gather/system/first-time.ts';
import { folderProblem } from '../../gather/system/folder.ts';
import { findRepository, readGitFacts } from '../../gather/git/git.ts';
import { findHome } from '../../gather/system/home.ts';
import { loadImage } from '../../gather/files/load-image.ts';
import type { ThemeFile } from '../../gather/files/theme-files.ts';
import { deniesRead } from '../../policy/denied-reads.ts';
import { defined } from '../../protocol/defined.ts';
import type { ThreadId } from '../../protocol/ids.ts';
import { isJsonObject, type JsonObject, valueAt } from '../../protocol/json.ts';
import type { Line } from '../../protocol/line.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { Answer } from '../../protocol/question.ts';
import type { ThreadCut } from '../../protocol/thread-cut.ts';
import type { UserImage } from '../../protocol/user-input.ts';
import type { ThreadState } from '../../state/thread-state.ts';
import type { RollbackTo } from '../../thread/branch/rollback-range.ts';
import type { Thread } from '../../thread/thread.ts';
import type { RestoreOptions, RestoreTarget } from '../../workspace/restore-files.ts';
import type { AgentLiveThreads } from './agent-live.ts';
import type { AnsweredThread, AnswerRequest, ThreadAnswers } from './answer-thread.ts';
import type { AskModel } from './ask-model.ts';
import type { CommandSandbox, SandboxRequest } from './command-sandbox.ts';
import type { Configured } from './configured.ts';
import type { CustomPrompt } from './custom-prompts.ts';
import type { ConfiguredHook } from './configured-hooks.ts';
import type { EngineOptions } from './engine-options.ts';
import { createEngineParts, type EngineParts } from './engine-parts.ts';
import { type EngineTracer, loadEngineTracer } from './engine-tracer.ts';
import { type EngineRefused, engineRefused } from './engine-refused.ts';
import type { FileIndex, FindFiles, FoundFiles } from './find-workspace-files.ts';
import type { FolderTrust } from './folder-trust.ts';
import type { PromptHistory } from './open-prompt-history.ts';
import { type OpenedThread, openFork, resumeThread, startThread } from './open-thread.ts';
import type { HomeMemory } from './home-memory.ts';
import type { HomeModels } from './home-models.ts';
import type { HookRegistry } from './hook-registry.ts';
import type { HomeRules } from './home-rules.ts';
import type { Logins } from './logins.ts';
import type { Mentionable } from './mentionable.ts';
import type { LocalServerFound } from './local-servers.ts';
import type { McpRegistry } from './mcp-registry.ts';
import type { LiveEngine } from './live-engine.ts';
import type { ForeseenRequest, PreviewedResume } from './preview-thread.ts';
import { programVariables } from './program-variables.ts';
import type { ClipboardContent } from './read-clipboard.ts';
import type { ReviewCode, ReviewedCode } from './review-code.ts';
import type { RerunAnswers, RerunStep } from './rerun-step.ts';
import type { SkillRegistry } from './skill-registry.ts';
import { StoredThreads } from './stored-threads.ts';
import type { ThreadRequest } from './thread-request.ts';
import { threadsPort } from './threads-port.ts';
import type { UnpackedBubblewrap } from './unpack-bubblewrap.ts';

const sealsWithoutStore: Outcome = {
  code: 'seals-without-store',
  message: 'You gave seals without a store. Capstan signs the files of a home folder with its own key.',
  next: 'Give the store that the seals belong to, or leave them out.',
};

/** What threads without a choice of their own ask. */
interface ModelOfThreads {
  readonly provider: string;
  readonly model: string;
  /** Absent: what the file says of it stays. */
  readonly effort?: string;
}

/** Warnings that a user who has read them once can do nothing about, or has decided about. */
const saidOnce: readonly string[] = ['sandbox-packaged', 'tui-unused-keys'];

/** The composition root and the one facade: makes what threads share, once, and opens threads. */
export class Engine {
  readonly kind = 'engine';
  /** Warnings about the configuration that holds everywhere. What a project adds is reported when a thread is opened. */
  readonly notices: readonly Outcome[];
  /** The threads of the home, open or not, as they are kept. */
  readonly stored: StoredThreads;
  readonly #parts: EngineParts;
  readonly #traced: EngineTracer;
  readonly #open = new Map<ThreadId, Thread>();
  readonly #beforeClose: (() => Promise<void>)[] = [];
  #agentLive: AgentLiveThreads | undefined;
  /** Made on use. */
  #answers: ThreadAnswers | undefined;
  /** What was saved of `[tui]` since the configuration was read. */
  #savedTui: ReturnType<typeof camelCased<(typeof tuiTable)['keys']>> = {};

  private constructor(options: EngineOptions, base: BaseLayers, notices: readonly Outcome[], traced: EngineTracer) {
    this.notices = notices;
    this.#traced = traced;
    const doors = {
      tracer: traced.tracer,
      threads: threadsPort(this),
      agentLive: () => this.#agentLive,
      askModel: async (asked: AskModel) =>
        (await import('./ask-model.ts')).askModel({ start: (request) => this.start(request) }, asked),
    };
    this.#parts = createEngineParts(options, base, doors);
    this.stored = new StoredThreads(this.#parts);
  }

  /** Reads the configuration that holds everywhere. The gravest error in it is the answer. */
  static async load(options: EngineOptions): Promise<Engine | EngineRefused> {
    if (options.seals !== undefined && options.store === undefined) return engineRefused(sealsWithoutStore);
    const home = findHome(options.env, options.osHome);
    if ('code' in home) return engineRefused(home);
    const { env, problems } = loadEnvFile(home.path, options.env);
    const base = await loadBaseLayers(home.path, options);
    const error = refusalOf(base.problems);
    if (error !== undefined) return engineRefused(error);
    const traced = await loadEngineTracer(base.config, env);
    return new Engine({ ...options, env }, base, [...problems, ...base.problems, ...traced.notices], traced);
  }

  /** Whether the configuration says whom to ask: a model, or the provider that serves it. */
  get isSetUp(): boolean {
    const { config, requirements } = this.#parts.base;
    return config.origins.has('model_provider') || (config.model ?? requirements.newThread?.model) !== undefined;
  }

  /** How the terminal looks and behaves, without what projects say. What is wrong in it is among the notices. */
  get tui(): TuiSettings {
    const { config } = this.#parts.base;
    return tuiSettings({ ...config, tui: { ...config.tui, ...this.#savedTui } });
  }

  /** Keys of `[tui]` that are set and do nothing here. */
  get unusedTui(): readonly string[] {
    return this.#parts.base.config.unusedTui ?? [];
  }

  /** Where a key of the configuration is set: the file with its line, or the flags. */
  sourceOf(path: readonly string[]): string | undefined {
    const { layers } = this.#parts.base;
    const isSet = ({ disabled, values }: ConfigLayer): boolean =>
      disabled === undefined && valueAt(values, path) !== undefined;
    const layer = layers.findLast(isSet);
    return layer === undefined ? undefined : sourceOf(layer, path);
  }

  /** The user's own themes for the terminal, as their files say them. */
  async themeFiles(): Promise<readonly ThemeFile[]> {
    const { themeFiles } = await import('../../gather/files/theme-files.ts');
    return themeFiles(this.home);
  }

  /** The branch that is checked out around a folder, read from git's files. */
  branchAt(folder: string): string | undefined {
    const root = findRepository(folder);
    const denies = (file: string): boolean => deniesRead(this.#parts.base.requirements, file);
    return root === undefined ? undefined : readGitFacts(root, { denies }).branch;
  }

  /** Folders that the configuration or a flag lets commands write besides the workspace, in runs of any mode. */
  get configuredRoots(): readonly string[] {
    const { sandboxWorkspaceWrite, addedRoots } = this.#parts.base.config;
    return [...sandboxWorkspaceWrite.writableRoots, ...addedRoots];
  }

  /** Whether a terminal should look for pastes that are not marked as such. */
  get detectsPastes(): boolean {
    return this.#parts.base.config.disablePasteBurst !== true;
  }

  /** The folder with configuration, threads and logins. */
  get home(): string {
    return this.#parts.base.home;
  }

  /** Whether a user of this home should read a warning: some need to be read once. Programs get every one of them. */
  isNews({ code, message }: Outcome): boolean {
    return !saidOnce.includes(code) || isFirstTime(this.home, code, message);
  }

  /** The same in every process of the home; another one for each purpose. Undefined while the key of the home cannot be used. */
  secretFor(purpose: string): string | undefined {
    return this.#parts.seals.seal(`secret for ${purpose}`);
  }

  /** A picture for a turn, unless the machine's manager forbids handing it to a model. The path may be relative. */
  loadImage(path: string, cwd: string): Promise<UserImage | Outcome> {
    const denies = (file: string): boolean => deniesRead(this.#parts.base.requirements, file);
    return loadImage(path, cwd, { denies, resize: this.#parts.resizeImage });
  }

  /** Whether threads can work in a folder, and the repository around it. */
  lookAtFolder(path: string): { readonly repository: string | undefined } | Outcome {
    return folderProblem(path) ?? { repository: findRepository(path) };
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
    return this.#noted(startThread(this.#parts, request));
  }

  /** Resumes a thread under its last settings, unless the request or the flags of the engine say otherwise. */
  resume(id: ThreadId, request: ThreadRequest): Promise<OpenedThread | EngineRefused> {
    return this.#noted(resumeThread(this.#parts, id, request));
  }

  /**
   * Begins a thread that continues from a place of another, and copies nothing. It keeps the other's settings of that
   * place, unless flags say otherwise, and has no name. The other thread may be written meanwhile, or be archived.
   */
  fork(id: ThreadId, cut: ThreadCut, request: ThreadRequest): Promise<OpenedThread | EngineRefused> {
    return this.#noted(openFork(this.#parts, { id, cut }, request));
  }

  /**
   * Answers a question by its id, of a thread that is open or not, and resolves when the answer is durable. A suspended
   * thread is opened, and its turn continued under the narrower of its policy and the current one. Its other questions
   * wait for answers of their own, unless the request says who is asked. Refused while another process writes the thread.
   */
  async answer(
    id: ThreadId,
    questionId: string,
    answer: Answer,
    request: AnswerRequest,
  ): Promise<AnsweredThread | EngineRefused> {
    const { ThreadAnswers } = await import('./answer-thread.ts');
    this.#answers ??= new ThreadAnswers(this);
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

  /** What `liveThreads` is made over. */
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

  /**
   * Gives up all threads that are open, and closes the live threads of the engine for good. Turns that run are ended
   * first, by the program that runs them. Rejects with the first failure, when all are closed.
   */
  async close(): Promise<void> {
    const before = await Promise.allSettled(this.#beforeClose.map((work) => work()));
    const closed = await Promise.allSettled(this.threads.map((thread) => thread.close()));
    await this.#traced.flush();
    for (const result of [...before, ...closed]) if (result.status === 'rejected') throw result.reason;
  }

  /** The sandbox for a command that the user gives, and not a model. */
  async openSandbox(request: SandboxRequest): Promise<CommandSandbox | Outcome> {
    const { openSandbox } = await import('./command-sandbox.ts');
    return openSandbox(this.#parts, request);
  }

  /** Opens or closes a feature gate in the user's config.toml. Gives why it could not. */
  switchFeature(name: string, open: boolean): Promise<Outcome | undefined> {
    return this.#changeUserTable('features', { [name]: open });
  }

  /** Sets keys of `[memories]` in the user's config.toml, as they are written there. Gives why it could not. */
  saveMemories(change: JsonObject): Promise<Outcome | undefined> {
    return this.#changeUserTable('memories', change);
  }

  /** Sets keys of `[tui]` in the user's config.toml, as they are written there. Gives why it could not. */
  async saveTui(change: JsonObject): Promise<Outcome | undefined> {
    const problem = await this.#changeUserTable('tui', change);
    if (problem === undefined) this.#savedTui = { ...this.#savedTui, ...camelCased(tuiTable, change) };
    return problem;
  }

  async #changeUserTable(name: string, change: JsonObject): Promise<Outcome | undefined> {
    const { editUserConfig, userConfigValue } = await import('../../gather/config/edit-user-config.ts');
    const { base, locks, clock } = this.#parts;
    const place = { home: base.home, locks, clock };
    const set = await userConfigValue(place, [name]);
    return editUserConfig(place, [name], { ...(isJsonObject(set) ? set : {}), ...change });
  }

  /** Writes the model of new threads, with its provider and effort, into the user's config.toml. Gives why it could not. */
  async saveModel({ provider, model, effort }: ModelOfThreads): Promise<Outcome | undefined> {
    const { editUserKeys } = await import('../../gather/config/edit-user-config.ts');
    const { base, locks, clock } = this.#parts;
    const values = { model, model_provider: provider, ...defined({ model_reasoning_effort: effort }) };
    return editUserKeys({ home: base.home, locks, clock }, values);
  }

  /** What the user decided about the project around a folder, and what a decision would change. */
  async folderTrust(folder: string): Promise<FolderTrust> {
    const { folderTrust } = await import('./folder-trust.ts');
    return folderTrust(this.#parts, folder);
  }

  /** Saves a decision for the next engine that is loaded. Gives why it could not. */
  async decideTrust(about: Pick<FolderTrust, 'root'>, decision: 'trusted' | 'untrusted'): Promise<Outcome | undefined> {
    const { decideFolderTrust } = await import('./folder-trust.ts');
    return decideFolderTrust(this.#parts, about, decision);
  }

  /** Hooks of a folder about which the user has to decide before they run. */
  async idleHooks(folder: string): Promise<readonly ConfiguredHook[]> {
    const { idleHooks } = await import('./idle-hooks.ts');
    return idleHooks(this.#parts, folder);
  }

  /** Saves a decision about hooks for the next engine that is loaded. Gives why it could not. */
  async decideHooks(hooks: readonly ConfiguredHook[], decision: 'trust' | 'untrust'): Promise<Outcome | undefined> {
    const { decideHooks } = await import('./configured-hooks.ts');
    const { base, locks, clock } = this.#parts;
    return decideHooks({ home: base.home, locks, clock }, hooks, decision);
  }

  /** Servers with models on this machine that answer within the time. */
  async localServers(patienceMs: number): Promise<readonly LocalServerFound[]> {
    const { findLocalServers } = await import('./local-servers.ts');
    return findLocalServers(this.#parts, patienceMs);
  }

  /** Files and folders whose paths fit what someone typed, the best first. What git ignores is left out. */
  async findFiles(search: FindFiles): Promise<FoundFiles | Outcome> {
    const { findWorkspaceFiles } = await import('./find-workspace-files.ts');
    return findWorkspaceFiles(this.#parts, search);
  }

  /** The same for someone who types: what is known of the folder serves every letter. */
  async openFileIndex(cwd: string): Promise<FileIndex> {
    const { openFileIndex } = await import('./find-workspace-files.ts');
    return openFileIndex(this.#parts, cwd);
  }

  /** Skills and plugins that a message in a folder can name. */
  async findMentionable(cwd: string): Promise<Mentionable | Outcome> {
    const { findMentionable } = await import('./mentionable.ts');
    return findMentionable(this.#parts, cwd);
  }

  /** What the user typed in conversations of this home. */
  async openPromptHistory(): Promise<PromptHistory> {
    const { openPromptHistory } = await import('./open-prompt-history.ts');
    return openPromptHistory(this.#parts);
  }

  /** Files or a picture from the user's clipboard. */
  async readClipboard(): Promise<ClipboardContent | Outcome> {
    const { readClipboard } = await import('./read-clipboard.ts');
    return readClipboard(this.#parts);
  }

  /** Gives a text to a program of the clipboard, by its name and words. Whether it took it. */
  async feedClipboard(words: readonly string[], text: string): Promise<boolean> {
    const { feedClipboard } = await import('./feed-clipboard.ts');
    return feedClipboard(this.#parts, words, text);
  }

  /** The variables for a program of the user that a surface starts outside of the sandbox, such as an editor. */
  programVariables(): Readonly<Record<string, string>> {
    return programVariables(this.#parts);
  }

  /** Reviews code in a thread of its own. What it finds, the thread that asked reads with its next turn. */
  async review(asked: ReviewCode): Promise<ReviewedCode | EngineRefused> {
    const { reviewCode } = await import('./review-code.ts');
    const { ids, base } = this.#parts;
    const own = { reviewModel: base.config.reviewModel, newItemId: () => `msg_${ids.uuid()}` };
    return reviewCode(
      { ...own, start: (request) => this.start(request), openSandbox: (request) => this.openSandbox(request) },
      asked,
    );
  }

  /** Signs the user of this home in and out. */
  async logins(): Promise<Logins> {
    const { Logins } = await import('./logins.ts');
    return new Logins(this.#parts);
  }

  /** The MCP servers of the user, to show and change them. */
  async mcpServers(): Promise<McpRegistry> {
    const { McpRegistry } = await import('./mcp-registry.ts');
    return new McpRegistry(this.#parts);
  }

  /** The skills of the user, to show them and switch them on and off. */
  async skills(): Promise<SkillRegistry> {
    const { SkillRegistry } = await import('./skill-registry.ts');
    return new SkillRegistry(this.#parts);
  }

  /** The hooks of the user, to show and trust them, and to switch them on and off. */
  async hooks(): Promise<HookRegistry> {
    const { HookRegistry } = await import('./hook-registry.ts');
    return new HookRegistry(this.#parts);
  }

  /** What is remembered of earlier threads. */
  async memory(): Promise<HomeMemory | Outcome> {
    const { loadHomeMemory } = await import('./home-memory.ts');
    return loadHomeMemory(this.#parts.options.env, this.#parts.options.osHome);
  }

  /** Prompts that the user keeps in the home, by name. */
  async customPrompts(): Promise<readonly CustomPrompt[]> {
    const { customPrompts } = await import('./custom-prompts.ts');
    return customPrompts(`${this.home}/prompts`);
  }

  /** The AGENTS.md files that threads in a folder read. */
  async instructionPaths(folder: string): Promise<readonly string[]> {
    const { instructionPaths } = await import('./instruction-paths.ts');
    return instructionPaths(this.#parts, folder);
  }

  /** The configuration of a folder with the place of each value, as its files say now. */
  async configured(folder: string): Promise<Configured | Outcome> {
    const { loadConfigured } = await import('./configured.ts');
    return loadConfigured(folder, this.#parts.options);
  }

  /** The rules about commands and hosts, to show and revoke them. */
  async rules(): Promise<HomeRules> {
    const { HomeRules } = await import('./home-rules.ts');
    return new HomeRules(this.#parts);
  }

  /** The models of providers, to show and test them. */
  async models(): Promise<HomeModels> {
    const { HomeModels } = await import('./home-models.ts');
    return new HomeModels(this.#parts);
  }

  /** Unpacks the distribution's bubblewrap into the home. */
  async unpackBubblewrap(): Promise<UnpackedBubblewrap | Outcome> {
    const { unpackBubblewrap } = await import('./unpack-bubblewrap.ts');
    return unpackBubblewrap(this.#parts);
  }

  /** What the next turn of a thread would begin with, if it were resumed now. Only reads. */
  async preview(id: ThreadId, state: ThreadState, as?: PreviewedResume): Promise<ForeseenRequest | Outcome> {
    const { previewThread } = await import('./preview-thread.ts');
    return previewThread(this.#parts, id, state, as);
  }

  /** Sends the request of a past step again, to the same or another model. Only reads: no call is run. */
  async rerun(
    thread: { readonly id: ThreadId; readonly lines: readonly Line[] },
    asked: RerunStep,
  ): Promise<RerunAnswers | Outcome> {
    const { rerunStep } = await import('./rerun-step.ts');
    return rerunStep(this.#parts, thread, asked);
  }

  /** Brings back files that turns of a thread changed. */
  async restoreFiles(id: ThreadId, target: RestoreTarget, options: RestoreOptions) {
    const { restoreThreadFiles } = await import('./restore-thread-files.ts');
    return restoreThreadFiles(this.#parts, id, target, options);
  }

  /** The same for the turns that a rollback of the conversation would take back. It has to come before that rollback. */
  async restoreRolledBack(id: ThreadId, to: RollbackTo, options: RestoreOptions) {
    const { restoreRolledBackFiles } = await import('./restore-thread-files.ts');
    return restoreRolledBackFiles(this.#parts, id, to, options);
  }
}
