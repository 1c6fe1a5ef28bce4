import { realPathSoFar } from '../adapters/disk/file-system.ts';
import { nodeProgramFiles } from '../adapters/disk/node-program-files.ts';
import { makeOwnFolder } from '../adapters/disk/own-files.ts';
import { createChangeWatch } from '../adapters/exec/call-times.ts';
import { searchPathPrograms, type SearchPathPrograms } from '../adapters/exec/find-programs.ts';
import { processTable } from '../adapters/exec/leftover-processes.ts';
import { createNodeSpawn } from '../adapters/exec/node-spawn.ts';
import { createCommandSessionLogs, createCommandSessions } from '../adapters/exec/sessions.ts';
import { createShellEnvironments } from '../adapters/exec/shell-environment.ts';
import { systemClock } from '../adapters/gather/clock-and-ids.ts';
import type { BaseLayers } from '../adapters/gather/config/config-layers.ts';
import { landlockProcessMark } from '../adapters/gather/config/landlock-writers.ts';
import { findTrust, recordLandlockRoots } from '../adapters/gather/config/project-trust.ts';
import type { ResizeImage, ResizerOptions } from '../adapters/gather/files/load-image.ts';
import { projectFolders } from '../adapters/gather/files/project-folders.ts';
import { loginStore } from '../adapters/gather/login-store.ts';
import type { SessionProgress } from '../adapters/hooks/run-hooks.ts';
import { createSender } from '../adapters/model/http/network/exchange.ts';
import { smallRequests } from '../adapters/model/http/small-requests.ts';
import { createEphemeralStore } from '../adapters/rollout/store/store-with-seals-and-blobs.ts';
import type { Bubblewrap } from '../adapters/sandbox/linux/bubblewrap.ts';
import { mountRegistryFolders } from '../adapters/sandbox/linux/mount-registry.ts';
import { createSandbox, packagedBubblewrap, type SandboxOptions } from '../adapters/sandbox/sandbox.ts';
import { defined } from '../base/objects.ts';
import type { CommandReader } from '../core/policy/commands/analyse-command.ts';
import { type OwnPlaces, temporaryFolders } from '../core/policy/paths/special-places.ts';
import { loginLimits } from '../core/policy/requirements.ts';
import { filesWithSecrets } from '../core/policy/secrets.ts';
import type { RuleToSave } from '../ports/ask-user.ts';
import type { ShellReader } from '../ports/commands.ts';
import type { Clock } from '../ports/system.ts';
import type { Threads } from '../ports/threads.ts';
import type { Tracer } from '../ports/tracer.ts';
import type { GuardedGit } from '../ports/workspace.ts';
import type { AgentLiveThreads } from './agents/open-agent-threads.ts';
import type { EngineOptions } from './engine-options.ts';
import type { AskModelRequest, ModelReply } from './models/ask-model.ts';
import { findOwnPlaces, nativePackagesFolder, terminalLibrary } from './sandbox/protected-paths.ts';
import { createHomeStore } from './store/home-store.ts';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Facts about the machine, kept for all engines of this process. */
const provenBubblewraps = new Map<string, Bubblewrap>();

interface EngineDoors {
  readonly tracer: Tracer;
  readonly threads: Threads;
  /** The live threads, for agents. Undefined: the program opens its threads itself, so they have no agents. */
  agentLive(): AgentLiveThreads | undefined;
  askModel(asked: AskModelRequest): Promise<ModelReply>;
}

export type EngineParts = Readonly<ReturnType<typeof createEngineParts>>;

/** Called once for an engine. Does not wait or touch the outside world yet. */
export function createEngineParts(
  options: EngineOptions,
  loaded: BaseLayers,
  { tracer, threads, agentLive, askModel }: EngineDoors,
) {
  const { env } = options;
  const { home } = loaded;
  const clock = systemClock;
  const kept = createHomeStore(home, { ...options, maxBlobBytes: loaded.config.blobs.maxBytes });
  const { locks } = kept;
  const root = packageRoot();
  const spawn = createNodeSpawn({ clock, runFolder: `${home}/capstan/run`, terminalLibrary: terminalLibrary(root) });
  const opened = new Set<string>();
  const sendTo = createSender({ environment: env });
  const writable = (): readonly string[] => [...temporaryFolders(env), ...opened];
  const programs = searchPathPrograms({ path: env['PATH'] ?? '', writable });
  const programFolder = (): string => mcpServerFolder(home, programs);
  let own: OwnPlaces | undefined;
  const ownPlaces = (): OwnPlaces =>
    (own ??= findOwnPlaces({
      env,
      home,
      osHome: options.osHome,
      root,
      configFiles: [...filesWithSecrets(loaded.layers), ...loaded.unusedSecrets, ...secretFiles(options)],
    }));
  const { requirements } = loaded;
  // If the administrator limits profiles, the limits need Capstan's own places: a profile that reopens one grants more.
  const isLimited = requirements.sandboxModes !== undefined || requirements.profiles !== undefined;
  const base = isLimited ? { ...loaded, requirements: { ...requirements, ownPlaces: ownPlaces() } } : loaded;
  const beforeLandlock = (writable: readonly string[]): void =>
    recordLandlockRoots(home, writable, () => {
      const { projects, projectRootMarkers } = base.config;
      const known = [...opened, ...Object.keys(projects)].flatMap((each) => projectFolders(each, projectRootMarkers));
      return [...new Set(known)].flatMap((owner) => {
        const { trust, link } = findTrust(owner, base.config, home);
        return trust === 'trusted' ? [{ owner, ...defined({ link }) }] : [];
      });
    });
  const sandboxOptions: SandboxOptions = {
    platform: process.platform,
    architecture: process.arch,
    env,
    writable: () => [...opened],
    packagedBubblewrap: [join(root, '.local/bubblewrap'), unpackedBubblewrap(home)].map(
      (folder) => packagedBubblewrap(folder).program,
    ),
    provenBubblewraps,
    mountRegistries: mountRegistryFolders,
    lingerMs: 1000,
    spawn,
    programFiles: nodeProgramFiles,
    processes: processTable,
    limits: base.config.sandbox ?? {},
    beforeLandlock,
    landlock: base.landlock,
    landlockHelper: {
      node: process.execPath,
      script: join(root, isSource ? 'src/adapters/sandbox/linux/landlock-helper.ts' : 'dist/landlock-helper.js'),
      library: join(nativePackagesFolder(root), 'koffi/index.cjs'),
      get mark() {
        return landlockProcessMark(home);
      },
    },
  };
  return {
    ...kept,
    options,
    base,
    clock,
    tracer,
    /** Records folders that commands and patches may write under Landlock, which protects no project's configuration in them. */
    beforeLandlock,
    /** Like `store`, but nothing written is kept. */
    ephemeralStore: createEphemeralStore(kept.store, clock),
    root,
    ownPlaces,
    spawn,
    /** Opens a session table for one thread. Commands may read the log folder, not write it. */
    openSessions() {
      const logs = createCommandSessionLogs(`${home}/command-logs`);
      return createCommandSessions({ spawn, clock, random: Math.random, logs });
    },
    sandboxOptions,
    sandbox: createSandbox(sandboxOptions),
    commands: createCommandReader({ root, clock }),
    shellEnvironments: createShellEnvironments(defined(env) as Readonly<Record<string, string>>),
    /** Folders that commands of any thread can or could write. No program is started from them for another thread. */
    opened,
    guardedGit: lazyGuardedGit(`${home}/git-programs`),
    programs,
    /** Start folder of programs, unless the user names one. */
    programFolder,
    sendTo,
    requests: smallRequests(sendTo),
    logins: loginStore({
      home,
      env,
      locks,
      clock,
      programs,
      programFolder,
      kept: base.requirements.credentialStore ?? base.config.cliAuthCredentialsStore ?? 'file',
      limits: loginLimits(base.config, base.requirements),
    }),
    /** The user's own rules. Few runs save one. */
    ruleBook: {
      save: async (rule: RuleToSave) => {
        if (rule.kind !== 'mcp')
          return (await import('../adapters/gather/config/edit-rules-file.ts')).writeRule(rule, { home, locks, clock });
        const { editUserConfig } = await import('../adapters/gather/config/edit-user-config.ts');
        const path = ['mcp_servers', rule.server, 'tools', rule.tool];
        return editUserConfig({ home, locks, clock }, path, { approval_mode: 'approve', approved_digest: rule.digest });
      },
    },
    /** For hooks: a thread may be opened more than once. */
    sessionStarts: new Map<string, SessionProgress>(),
    watch: createChangeWatch(home),
    resizeImage: lazyImageResizer({ root, clock }),
    threads,
    agentLive,
    askModel,
  };
}

/** Folder into which `capstan sandbox setup` unpacks bubblewrap; no command can write there. */
export const unpackedBubblewrap = (home: string): string => `${home}/capstan/bubblewrap`;
/** The build has no `.ts` files, so this is true only if the sources run. */
const isSource = import.meta.url.endsWith('.ts');

/** Works from sources and from any depth of the bundle: built and unpacked files are in the package's folder. */
function packageRoot(): string {
  const { existsSync } = process.getBuiltinModule('node:fs');
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}

/** Each path as spelled and with its links resolved. */
const secretFiles = ({ secretFiles: files = [] }: EngineOptions): readonly string[] =>
  files.flatMap((file) => [file, realPathSoFar(file)]);

/**
 * Loads lazily: the word checker when a request is under way, the parser when a decision depends on it. `prepare` loads
 * what a quick look needs, so that no command waits for it, and never rejects.
 */
function createCommandReader(place: ReaderPlace): CommandReader & { prepare(): Promise<void> } {
  let quick: CommandReader['mayBeDangerous'] | undefined;
  let loading: Promise<CommandReader['read']> | undefined;
  return {
    async prepare() {
      quick ??= (await import('../core/policy/commands/analyse-command.ts')).mayBeDangerous;
    },
    // Not loaded yet: leave it to the full check.
    mayBeDangerous: (argv) => quick?.(argv) ?? true,
    read: async (argv) => (await (loading ??= loadReader(place)))(argv),
  };
}

type ReaderPlace = { readonly root: string; readonly clock: Clock };

async function loadReader(place: ReaderPlace): Promise<CommandReader['read']> {
  const loading = import('../adapters/exec/shell-reader.ts').then(({ createShellReaderLoader: load }) => load(place)());
  const [{ analyseCommand, canonicalCommand }, reader] = await Promise.all([
    import('../core/policy/commands/analyse-command.ts'),
    loading.catch(() => unread),
  ]);
  return async (argv) => {
    const analysis = analyseCommand(argv, reader, { shell: argv[0] ?? '' });
    return { analysis, canonical: canonicalCommand(argv, reader) };
  };
}

/** Without the parser, every script is unknown. */
const unread: ShellReader = { read: () => undefined };

function lazyGuardedGit(folder: string): GuardedGit {
  let loaded: Promise<GuardedGit> | undefined;
  return {
    folder,
    async variables(...asked) {
      loaded ??= import('../adapters/exec/guarded-git.ts').then(({ createGuardedGit }) => createGuardedGit(folder));
      return (await loaded).variables(...asked);
    },
  };
}

/**
 * The folder in which MCP servers and commands that print keys start: one of their own, or the root of the disk if
 * commands may write in a folder above it, because package runners look there as well.
 */
export function mcpServerFolder(home: string, { isSafeFolder }: Pick<SearchPathPrograms, 'isSafeFolder'>): string {
  const folder = join(home, 'capstan/servers');
  return makeOwnFolder(folder, 'closed') && isSafeFolder(folder) ? folder : '/';
}

/** Loads the resizer when the first image is too large: few threads have one. */
function lazyImageResizer(options: ResizerOptions): ResizeImage {
  let resizer: Promise<ResizeImage> | undefined;
  const load = async (): Promise<ResizeImage> =>
    (await import('../adapters/gather/files/image-resizer.ts')).createImageResizer(options);
  return async (image, signal) => (await (resizer ??= load()))(image, signal);
}
