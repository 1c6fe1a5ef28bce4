import { dirname, join } from 'node:path';
import { temporaryFolders } from '../../policy/places.ts';
import { fileURLToPath } from 'node:url';
import { lazyImageResizer } from '../../gather/files/lazy-image-resizer.ts';
import { createChangeWatch } from '../../exec/call-times.ts';
import { nodeProgramFiles } from '../../disk/node-program-files.ts';
import { createNodeSpawn } from '../../exec/node-spawn.ts';
import { processTable } from '../../exec/processes/process-identity.ts';
import { callerPrograms } from '../../exec/processes/programs.ts';
import { createSessionLogs } from '../../exec/session-log.ts';
import { createSessions } from '../../exec/sessions.ts';
import { createShellEnvironments } from '../../exec/shell-environment.ts';
import { realPlace } from '../../disk/folders.ts';
import type { SessionPlace } from '../../hooks/session-starts.ts';
import { loginLimits } from '../../policy/login-limits.ts';
import { filesWithSecrets } from '../../policy/secrets.ts';
import type { BaseLayers } from '../../gather/config/config-layers.ts';
import { recordLandlockRoots } from '../../gather/config/landlock-record.ts';
import { landlockMark } from '../../gather/config/landlock-writers.ts';
import { findTrust } from '../../gather/config/trust.ts';
import { projectFolders } from '../../gather/files/project-folders.ts';
import { loginStore } from '../../gather/system/login-store.ts';
import { systemClock } from '../../gather/system/system-clock.ts';
import { smallRequests } from '../../model/http/auth/small-requests.ts';
import { sender } from '../../model/http/network/exchange.ts';
import type { OwnPlaces } from '../../policy/own-places.ts';
import type { RuleToSave } from '../../ports/rule-book.ts';
import type { Threads } from '../../ports/threads.ts';
import type { Tracer } from '../../ports/tracer.ts';
import { createEphemeralStore } from '../../rollout/ephemeral-store.ts';
import type { Bubblewrap } from '../../sandbox/linux/bubblewrap.ts';
import { mountRegistryFolders } from '../../sandbox/linux/mount-registry.ts';
import { packagedBubblewrap } from '../../sandbox/linux/packaged-bubblewrap.ts';
import { createSandbox, type SandboxOptions } from '../../sandbox/sandbox.ts';
import { defined } from '../../protocol/defined.ts';
import type { AgentLiveThreads } from './agent-live.ts';
import type { AskModel, ModelSaid } from './ask-model.ts';
import { createCommandReader } from './command-reader.ts';
import type { EngineOptions } from './engine-options.ts';
import { createHomeStore } from './home-store.ts';
import { lazyGuardedGit } from './lazy-guarded-git.ts';
import { findOwnPlaces, landlockFolder, terminalLibrary } from './own-places.ts';
import { serverFolder } from './server-folder.ts';

/** A fact about the machine: what one engine of this process has tried out, the next need not. */
const provenBubblewraps = new Map<string, Bubblewrap>();

/** What the engine itself gives to its threads. */
interface EngineDoors {
  readonly tracer: Tracer;
  readonly threads: Threads;
  /** The live threads of the engine, for agents. Undefined: the program opens its threads by itself, and they have none. */
  agentLive(): AgentLiveThreads | undefined;
  /** Asks a model one question, beside every conversation. */
  askModel(asked: AskModel): Promise<ModelSaid>;
}

/** What all threads of an engine share. */
export type EngineParts = Readonly<ReturnType<typeof createEngineParts>>;

/** Where profiles are limited, what they may reopen counts. */
function withOwnPlaces(base: BaseLayers, ownPlaces: () => OwnPlaces): BaseLayers {
  const { requirements } = base;
  if (requirements.sandboxModes === undefined && requirements.profiles === undefined) return base;
  return { ...base, requirements: { ...requirements, ownPlaces: ownPlaces() } };
}

/** Made once for an engine. Nothing here waits or touches the world yet. */
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
  const sendTo = sender({ environment: env });
  const programs = callerPrograms({
    path: env['PATH'] ?? '',
    writable: () => [...temporaryFolders(env), ...opened],
  });
  const programFolder = (): string => serverFolder(home, programs);
  let own: OwnPlaces | undefined;
  /** The files of the engine itself. */
  const ownPlaces = (): OwnPlaces =>
    (own ??= findOwnPlaces({
      env,
      home,
      osHome: options.osHome,
      root,
      configFiles: [...filesWithSecrets(loaded.layers), ...loaded.unusedSecrets, ...secretFiles(options)],
    }));
  const base = withOwnPlaces(loaded, ownPlaces);
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
      script: join(root, isSource ? 'src/sandbox/linux/landlock-helper.ts' : 'dist/landlock-helper.js'),
      library: join(landlockFolder(root), 'koffi/index.cjs'),
      get mark() {
        return landlockMark(home);
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
    /** The same threads, but nothing is kept of what is written. */
    ephemeralStore: createEphemeralStore(kept.store, clock),
    /** The package's own folder. */
    root,
    ownPlaces,
    spawn,
    /** A table of sessions for one thread. Commands may read the folder of logs, and not write it. */
    openSessions: () =>
      createSessions({ spawn, clock, random: Math.random, logs: createSessionLogs(`${home}/command-logs`) }),
    sandboxOptions,
    sandbox: createSandbox(sandboxOptions),
    commands: createCommandReader({ root, clock }),
    shellEnvironments: createShellEnvironments(defined(env) as Readonly<Record<string, string>>),
    /**
     * Where commands of any thread may write, or once could: what one of them may have put there, the engine does not
     * start for another. Threads add to it.
     */
    opened,
    guardedGit: lazyGuardedGit(`${home}/git-programs`),
    /** Programs that the user chose by name. */
    programs,
    /** Where they start, unless the user names a folder. */
    programFolder,
    /** Connections to servers, kept for reuse. */
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
          return (await import('../../gather/rules/write-rule.ts')).writeRule(rule, { home, locks, clock });
        const { editUserConfig } = await import('../../gather/config/edit-user-config.ts');
        const path = ['mcp_servers', rule.server, 'tools', rule.tool];
        return editUserConfig({ home, locks, clock }, path, { approval_mode: 'approve', approved_digest: rule.digest });
      },
    },
    /** For hooks: a thread may be opened more than once. */
    sessionStarts: new Map<string, SessionPlace>(),
    watch: createChangeWatch(home),
    resizeImage: lazyImageResizer({ root, clock }),
    threads,
    agentLive,
    askModel,
  };
}

/** Where `capstan sandbox setup` unpacks bubblewrap: no command can write there. */
export function unpackedBubblewrap(home: string): string {
  return `${home}/capstan/bubblewrap`;
}

/** Not the build: nothing in it has this name. */
const isSource = import.meta.url.endsWith('.ts');

/** From sources and from any depth of the bundle: what was built and unpacked is in the package's folder. */
function packageRoot(): string {
  const { existsSync } = process.getBuiltinModule('node:fs');
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}

/** As they are spelled, and where their links lead. */
function secretFiles({ secretFiles: files = [] }: EngineOptions): readonly string[] {
  return files.flatMap((file) => [file, realPlace(file)]);
}
