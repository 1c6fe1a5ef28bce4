import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createChangeWatch } from '../../exec/call-times.ts';
import { nodeProgramFiles } from '../../disk/node-program-files.ts';
import { createNodeSpawn } from '../../exec/node-spawn.ts';
import { processTable } from '../../exec/processes/process-identity.ts';
import { callerPrograms } from '../../exec/processes/programs.ts';
import { createShellEnvironments, type ShellEnvironments } from '../../exec/shell-environment.ts';
import type { BaseLayers } from '../../gather/config/config-layers.ts';
import { loginStore } from '../../gather/system/login-store.ts';
import { systemClock } from '../../gather/system/system-clock.ts';
import { postJson, type PostJson } from '../../model/http/auth/post-json.ts';
import { sender } from '../../model/http/network/exchange.ts';
import type { OwnPlaces } from '../../policy/own-places.ts';
import type { ChangeWatch } from '../../ports/change-watch.ts';
import type { Clock } from '../../ports/clock.ts';
import type { LoginStore } from '../../ports/login.ts';
import type { Programs } from '../../ports/program-files.ts';
import type { RolloutStore } from '../../ports/rollout-store.ts';
import type { Spawn } from '../../ports/spawn.ts';
import type { Threads } from '../../ports/threads.ts';
import type { Tracer } from '../../ports/tracer.ts';
import { createEphemeralStore } from '../../rollout/ephemeral-store.ts';
import { mountRegistryFolders } from '../../sandbox/linux/mount-registry.ts';
import { createSandbox, type PreparedSandbox } from '../../sandbox/sandbox.ts';
import type { Variables } from '../../protocol/variables.ts';
import type { EngineOptions } from './engine-options.ts';
import { createHomeStore, type HomeStore } from './home-store.ts';
import { findOwnPlaces } from './own-places.ts';

/** What all threads of an engine share. */
export interface EngineParts extends HomeStore {
  readonly options: EngineOptions;
  readonly base: BaseLayers;
  readonly clock: Clock;
  readonly tracer: Tracer;
  /** The same threads, but nothing is kept of what is written. */
  readonly ephemeralStore: RolloutStore;
  /** The package's own folder. */
  readonly root: string;
  /** The files of the engine itself. */
  ownPlaces(): OwnPlaces;
  readonly spawn: Spawn;
  readonly sandbox: PreparedSandbox;
  readonly shellEnvironments: ShellEnvironments;
  /**
   * Where commands of any thread may write, or once could: what one of them may have put there, the engine does not start
   * for another. Threads add to it.
   */
  readonly opened: Set<string>;
  /** Programs that the user chose by name. */
  readonly programs: Programs;
  /** Connections to servers, kept for reuse. */
  readonly sendTo: ReturnType<typeof sender>;
  readonly post: PostJson;
  readonly logins: LoginStore;
  readonly watch: ChangeWatch;
  readonly threads: Threads;
}

/** Made once for an engine. Nothing here waits or touches the world yet. */
export function createEngineParts(
  options: EngineOptions,
  base: BaseLayers,
  { tracer, threads }: Pick<EngineParts, 'tracer' | 'threads'>,
): EngineParts {
  const { env } = options;
  const { home } = base;
  const clock = systemClock;
  const kept = createHomeStore(home, {
    maxBlobBytes: base.config.blobs.maxBytes,
    codexIndexFolder: env['CODEX_SQLITE_HOME'],
    store: options.store,
    seals: options.seals,
  });
  const root = packageRoot();
  const spawn = createNodeSpawn({ clock, runFolder: `${home}/capstan/run` });
  const opened = new Set<string>();
  const sendTo = sender({ environment: env });
  let own: OwnPlaces | undefined;
  return {
    ...kept,
    options,
    base,
    clock,
    tracer,
    ephemeralStore: createEphemeralStore(kept.store, clock),
    root,
    ownPlaces: () => (own ??= findOwnPlaces({ env, home, root })),
    spawn,
    sandbox: createSandbox({
      platform: process.platform,
      architecture: process.arch,
      env,
      writable: () => [...opened],
      packagedBubblewrap: join(root, '.local/bubblewrap/usr/bin/bwrap'),
      mountRegistries: mountRegistryFolders,
      lingerMs: 1000,
      spawn,
      programFiles: nodeProgramFiles,
      processes: processTable,
    }),
    shellEnvironments: createShellEnvironments(definedOnly(env)),
    opened,
    programs: callerPrograms({
      path: env['PATH'] ?? '',
      writable: () => ['/tmp', env['TMPDIR'] ?? '', ...opened],
    }),
    sendTo,
    post: postJson(sendTo),
    logins: loginStore({ home, locks: kept.locks, clock }),
    watch: createChangeWatch(home),
    threads,
  };
}

function definedOnly(env: Variables): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** From sources and from any depth of the bundle: what was built and unpacked is in the package's folder. */
function packageRoot(): string {
  const { existsSync } = process.getBuiltinModule('node:fs');
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}
