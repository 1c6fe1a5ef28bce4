import { nodeDisk } from '../../adapters/disk/node-patch-disk.ts';
import { nodeProgramFiles } from '../../adapters/disk/node-program-files.ts';
import { startDetached } from '../../adapters/exec/child-process.ts';
import { leftoverProcessEnder } from '../../adapters/exec/leftover-processes.ts';
import type { ShellEnvironmentOptions } from '../../adapters/exec/shell-environment.ts';
import { knownPrices } from '../../adapters/gather/bundled-models.ts';
import { findTrust } from '../../adapters/gather/config/project-trust.ts';
import { loadImage } from '../../adapters/gather/files/load-image.ts';
import { InstructionFiles } from '../../adapters/gather/instruction-files.ts';
import { folderProblem } from '../../adapters/gather/permission-places.ts';
import { findShell, gatherFacts, timeFactsAt } from '../../adapters/gather/turn-facts.ts';
import type { ServerHistory } from '../../adapters/mcp/thread-servers.ts';
import { createDigester } from '../../adapters/model/request-digester.ts';
import { ownTool } from '../../adapters/tools/own-tool.ts';
import { createToolRouter, type ToolRouter } from '../../adapters/tools/router.ts';
import { defined } from '../../base/objects.ts';
import { mayStartAgents } from '../../core/config/agents.ts';
import type { Config } from '../../core/config/config.ts';
import { isGateOpen } from '../../core/config/features.ts';
import { usesMemories, writesMemories } from '../../core/config/memories.ts';
import { secretVariables } from '../../core/config/servers/secret-variables.ts';
import { allowsNoTools, type Settings } from '../../core/envelope/settings.ts';
import { temporaryFolders } from '../../core/policy/paths/special-places.ts';
import { grantedFolders } from '../../core/policy/profiles/profile-entries.ts';
import type { ModelClient, ProviderCapabilities, SentFrame } from '../../ports/model.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { EngineParts } from '../engine-parts.ts';
import { answeringProvider, threadProviders, withFallback } from '../models/thread-providers.ts';
import type { AnsweringProvider } from '../models/thread-providers.ts';
import { createTamperWatch } from '../sandbox/tamper-watch.ts';
import { programVariables } from '../sandbox/user-program-variables.ts';
import type { ThreadRequest } from '../thread-request.ts';
import type { ThreadParts } from '../thread/thread-parts.ts';
import type { ConfiguredThread } from './configure-thread.ts';
import { lazyGitGuard, lazyImageSaver, lazySnapshots } from './lazy-workspace.ts';
import { createThreadSkills, threadPlugins } from './thread-skills.ts';
import { builtInTools, lazyEditTools, openClientTools } from './thread-tools.ts';
import { join } from 'node:path';

type Configured = Pick<ConfiguredThread, 'config' | 'models' | 'settings' | 'hooks' | 'skillSwitches'>;

export interface ThreadPartsInput extends Configured {
  /** Absent: the thread sent no request yet. */
  readonly past?: ServerHistory;
  readonly request: ThreadRequest;
}

/** Makes the parts of one thread and joins them with the shared ones. Has no effect outside the process yet. */
export async function createThreadParts(engine: EngineParts, input: ThreadPartsInput): Promise<ThreadParts | Outcome> {
  const { clock, ids, sandbox, commands, opened, root } = engine;
  const { env } = engine.options;
  const { home, requirements } = engine.base;
  const { config, models, settings, request, past } = input;
  const { ephemeral = false, threadSource, askUser, ruleBook, checkpointHooks } = request;
  const { cwd } = settings;
  const reopen = (chosen: Settings): void => {
    for (const path of openedFolders(chosen, config)) opened.add(path);
  };
  reopen(settings);
  const prices = knownPrices(config);
  const providers = threadProviders(engine, { config, settings });
  const open = (id: string) => answeringProvider(engine, input, id);
  const own = await open(settings.provider);
  if ('code' in own) return own;
  const shell = findShell(env, { cwd, files: nodeProgramFiles, roots: [...opened] });
  const shellEnvironment = engine.shellEnvironments(loginShellFor(engine, input, shell.path));
  const patchProgram = { folder: join(root, 'dist/commands'), node: process.execPath };
  const gitGuard = lazyGitGuard(clock);
  const hasUndo = !ephemeral && config.undo.enabled;
  const watched = hasUndo ? { watch: engine.watch } : {};
  const patches = { disk: nodeDisk(), clock, gitGuard, ...watched };
  const instructions = new InstructionFiles({ home, clock });
  const plugins = threadPlugins(home, config, settings.features);
  const picture = (dataUrl: string) => loadImage(dataUrl, '/', { resize: engine.resizeImage });
  const ownTools = (request.tools ?? []).map((own) => ownTool(own, picture));
  const sessions = engine.openSessions();
  const exec = { sessions, sandbox, shellEnvironment, patches, patchProgram, gitGuard, ...watched };
  const forTools = { config, cwd, patches, exec, isAgent: request.agent !== undefined };
  const ofProgram = [...(request.tools ?? []), ...(settings.clientTools ?? [])];
  const edits = lazyEditTools(engine, patches, new Set(ofProgram.map(({ name }) => name)));
  const { catalogue: catalogueOf } = models;
  await edits.loadFor(settings, catalogueOf(settings));
  const hasServers = Object.values(config.mcpServers ?? {}).some(({ enabled }) => enabled !== false);
  const searchesElsewhere = hasServers && !allowsNoTools(settings);
  // Filled in once servers are open; they need the clients' tools first.
  const direct = { ofServers: (): number => 0 };
  const besides = (): number => direct.ofServers();
  const clientTools = await openClientTools(settings, { catalogueOf, searchesElsewhere, besides, ownTools, picture });
  const others = { alsoDeferred: clientTools.deferred, besides: clientTools.directTokens };
  const { openThreadMcp } = searchesElsewhere ? await import('./thread-mcp.ts') : {};
  const mcp = await openThreadMcp?.(engine, { config, catalogueOf, settings, ...others, past });
  if (mcp !== undefined && 'code' in mcp) return mcp;
  if (mcp !== undefined) direct.ofServers = mcp.directTokens;
  const isRoot = !ephemeral && request.agent === undefined;
  const hasAgents = request.agent !== undefined || mayStartAgents(config.agents, settings.features);
  const { openThreadAgents } = hasAgents ? await import('./open-thread-agents.ts') : {};
  const agents = await openThreadAgents?.(engine, { config, catalogueOf, settings, request });
  const hasGoals = isRoot && isGateOpen('goals', settings.features);
  const goals = hasGoals ? await import('../../adapters/tools/goal-tools.ts') : undefined;
  const goalTools = goals?.goalTools({ mostTokens: config.goals?.maxGoalTokenBudget }) ?? [];
  const fromAgents = agents?.source === undefined ? [] : [agents.source];
  const fromServers = mcp === undefined ? [] : [mcp.source];
  const otherTools = [...fromAgents, () => goalTools, () => ownTools, ...fromServers, clientTools.source];
  const routerFor = (capabilities: ProviderCapabilities): ToolRouter => {
    const builtIn = builtInTools(engine, { ...forTools, capabilities });
    return createToolRouter([() => builtIn, () => edits.tools, ...otherTools], settings);
  };
  const remembers = isRoot && writesMemories(settings.features, config.memories);
  const { openThreadMemories } = remembers ? await import('../memory/thread-memories.ts') : {};
  const memories = openThreadMemories?.(engine, { config, settings, catalogue: catalogueOf(settings) });
  const prepareAll = async (): Promise<void> => {
    mcp?.start();
    memories?.start();
    sandbox.prepare();
    await commands.prepare();
  };
  const { createThreadHooks } = input.hooks.length > 0 ? await import('../home/user-hooks.ts') : {};
  let isUnderLandlock = false;
  const partsUnder = ({ provider, facts, models: known, streamMaxRetries }: AnsweringProvider) => ({
    provider: { ...provider, client: prepareDuringAnswer(provider.client, prepareAll, (etag) => known.refresh(etag)) },
    streamMaxRetries,
    router: routerFor(provider.capabilities),
    async gatherFacts(chosen: Settings) {
      // The thread may have changed its folder since its configuration was read.
      const trust = chosen.cwd === cwd ? config.trust : findTrust(chosen.cwd, config, home).trust;
      reopen(chosen);
      await known.learn(chosen.model);
      const catalogue = known.catalogue();
      await edits.loadFor(chosen, catalogue);
      const landlock = await sandbox.usesLandlock();
      const client = { ...engine.options.client, ...defined({ threadSource }) };
      const place = {
        env,
        cwd: chosen.cwd,
        trust,
        own: engine.ownPlaces(),
        profile: chosen.sandbox,
        roots: [...opened],
      };
      const programs = { programFiles: nodeProgramFiles, landlock: landlock || undefined };
      const more = { clock, client, catalogue, prices, provider: facts, hasPlugins: (await plugins()).length > 0 };
      const gathered = await gatherFacts({ ...more, ...place, ...programs });
      // Patches write there too, possibly before any command runs.
      if (landlock) engine.beforeLandlock(Object.values(gathered.places.real ?? {}));
      isUnderLandlock = landlock;
      return gathered;
    },
  });
  const ofProvider = partsUnder(own);
  const parts: ThreadParts = {
    ...ofProvider,
    ...combineTurnWork([clientTools, mcp, agents, memories, models]),
    toolsProblem: (chosen) => clientTools.problem(chosen, ofProvider.router),
    background: memories,
    memoryMode: config.memories?.generateMemories === false ? 'disabled' : undefined,
    agents: agents?.agents,
    agent: request.agent,
    clock,
    ids,
    store: ephemeral ? engine.ephemeralStore : engine.store,
    seals: engine.seals,
    providerOf: providers.find,
    catalogueOf: (name) => models.catalogueOf(name),
    digester: createDigester(),
    compactionLimits: config.compaction,
    processes: leftoverProcessEnder,
    sessions,
    requirements,
    tracer: engine.tracer,
    commands,
    ground: createTamperWatch({
      shellEnvironment,
      opened,
      onOpen: (paths) => {
        if (isUnderLandlock) engine.beforeLandlock(paths);
      },
      guardedGit: engine.guardedGit,
      gitGuard,
      temporary: temporaryFolders(env),
    }),
    ruleBook: ruleBook ?? engine.ruleBook,
    askUser: agents?.askUser ?? askUser,
    checkpointHooks,
    gitGuard,
    userShell: userShellOf(engine, shell.path),
    snapshots: hasUndo ? lazySnapshots(engine, config.undo) : undefined,
    notify: notifier(engine, config.notify ?? []),
    isEphemeral: ephemeral || undefined,
    saveImage: ephemeral ? undefined : lazyImageSaver(home),
    hooks: await createThreadHooks?.(engine, input.hooks, shell.path),
    skills: createThreadSkills(engine, input, plugins),
    random: Math.random,
    answerMaxItems: config.answer.maxItems,
    threads: engine.threads,
    folderProblem,
    async gatherStep(envelope) {
      const loading = { policy: envelope.policy.resolved, effectiveWindow: envelope.window.effective };
      const { document, problems } =
        request.onlyConfig === undefined
          ? await instructions.load(envelope.instructions.user, loading)
          : { document: {}, problems: [] };
      const memory = usesMemories(settings.features, config.memories)
        ? (await import('../../adapters/gather/memory-files.ts')).readMemorySummary(home, envelope.policy.resolved)
        : {};
      return { instructionDocument: document, date: timeFactsAt(clock.now(), env).date, problems, ...memory };
    },
  };
  return settings.fallback === undefined ? parts : withFallback({ parts, own, open, partsUnder });
}

function notifier(engine: EngineParts, argv: readonly string[]): ThreadParts['notify'] {
  if (argv.length === 0) return undefined;
  const message = `The program of notify could not be started: ${argv[0] ?? ''}`;
  const failed = { code: 'notify-failed', message, next: 'Correct notify in config.toml, or remove it.' };
  return (cwd, about) =>
    startDetached([...argv, JSON.stringify(about)], { cwd, env: programVariables(engine) }) ? undefined : failed;
}

/** Folders that commands may write under these settings. Configured roots count even if this mode ignores them. */
const openedFolders = (
  { cwd, sandbox }: Settings,
  { sandboxWorkspaceWrite, addedRoots }: Config,
): readonly string[] => [cwd, ...sandboxWorkspaceWrite.writableRoots, ...addedRoots, ...grantedFolders(sandbox)];

/** Undefined if no login shell is asked: it is not allowed, or commands would get nothing from its answer. */
function loginShellFor(
  { base, options, root, clock }: EngineParts,
  { config, settings, request }: ThreadPartsInput,
  shell: string,
): ShellEnvironmentOptions['loginShell'] {
  const policy = settings.shellEnvironment;
  const allowed = base.requirements.allowLoginShell ?? config.allowLoginShell;
  if (!allowed || policy.inherit === 'none') return undefined;
  return {
    shell,
    home: options.osHome,
    program: { node: process.execPath, path: join(root, 'dist/keep-variables.js') },
    ...(request.ephemeral === true ? {} : { folder: join(base.home, 'capstan/shell') }),
    policy,
    secretNames: secretVariables(config),
    clock,
  };
}

type AroundTurns = Pick<ThreadParts, 'beforeTurn' | 'problemsNow' | 'release'>;

function combineTurnWork(all: readonly (AroundTurns | undefined)[]): Partial<AroundTurns> {
  const there = all.filter((each) => each !== undefined);
  if (there.length === 0) return {};
  return {
    async beforeTurn(settings, watch) {
      for (const each of there) await each.beforeTurn?.(settings, watch);
    },
    problemsNow: () => there.flatMap((each) => each.problemsNow?.() ?? []),
    async release() {
      for (const each of there.toReversed()) await each.release?.();
    },
  };
}

/** Runs with the variables of this process, as at the user's own prompt. */
function userShellOf({ spawn, options }: EngineParts, shell: string): NonNullable<ThreadParts['userShell']> {
  const env = defined(options.env) as Readonly<Record<string, string>>;
  const limits = { timeoutMs: 3_600_000, outputBytes: 256 * 1024 };
  return ({ command, cwd, signal, output }) => {
    const plain = { kind: 'runnable', argv: [shell, '-c', command], cwd, env, files: [] } as const;
    return spawn.run({ ...plain, cleanup: () => Promise.resolve() }, limits, { signal, ...defined({ output }) });
  };
}

/** Called when the model begins to answer, and with the state of the server's list of models if it names one. */
type Answers = (etag?: string) => void;

/** Prepares while the model thinks, so that the first command need not wait. */
function prepareDuringAnswer(client: ModelClient, prepare: () => Promise<void>, answers: Answers): ModelClient {
  return {
    async *stream(request, signal) {
      let preparing: Promise<void> | undefined;
      const onSent = (frame?: SentFrame): void => {
        request.onSent?.(frame);
        preparing ??= prepare();
      };
      let isReady = false;
      for await (const event of client.stream({ ...request, onSent }, signal)) {
        // A client may yield something that is no event: the reader of this stream handles that.
        if (event?.kind === 'models-etag') {
          answers(event.etag);
          continue;
        }
        // Prepare before the first event is passed on: a call that begins at once is decided at once.
        if (!isReady) {
          answers();
          await (preparing ??= prepare());
        }
        isReady = true;
        yield event;
      }
    },
    compact: client.compact?.bind(client),
    prewarm: client.prewarm?.bind(client),
    close: client.close?.bind(client),
    lengthField: client.lengthField?.bind(client),
    authMode: () => client.authMode(),
  };
}
