import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../config/config.ts';
import { atLocalAddress } from '../../config/local-providers.ts';
import { providerAddress, type ProviderConfig, providerOf, providerVariables } from '../../config/providers.ts';
import { remoteCompaction } from '../../config/remote-compaction.ts';
import type { ClientFacts } from '../../envelope/facts.ts';
import type { Catalogue } from '../../envelope/model-record.ts';
import type { Settings } from '../../envelope/settings.ts';
import { createChangeWatch } from '../../exec/call-times.ts';
import { createNodeSpawn } from '../../exec/node-spawn.ts';
import { nodeProgramFiles } from '../../exec/node-program-files.ts';
import { processTable } from '../../exec/process-identity.ts';
import { callerPrograms, systemPrograms } from '../../exec/programs.ts';
import { runFolder } from '../../exec/run-folder.ts';
import { createShellEnvironment, type ShellEnvironmentOptions } from '../../exec/shell-environment.ts';
import { systemProcesses } from '../../exec/survivors.ts';
import { gatherFacts } from '../../gather/facts.ts';
import { folderProblem } from '../../gather/folder.ts';
import { InstructionFiles } from '../../gather/instruction-document.ts';
import { loadImage } from '../../gather/load-image.ts';
import { loginStore } from '../../gather/login-store.ts';
import { readGuard } from '../../gather/read-guard.ts';
import { findShell } from '../../gather/shell.ts';
import { findTrust } from '../../gather/trust.ts';
import { timeFactsAt } from '../../gather/timezone.ts';
import { providerCredentials } from '../../model/auth/credentials.ts';
import { postJson } from '../../model/auth/post-json.ts';
import { createDigester } from '../../model/digester.ts';
import { responsesEncoder } from '../../model/responses/encode.ts';
import { sender } from '../../model/network/exchange.ts';
import { responsesClient } from '../../model/responses/transport.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import type { ModelClient } from '../../ports/model-client.ts';
import type { Tracer } from '../../ports/tracer.ts';
import { isSameProvider, providerName } from '../../protocol/provider-name.ts';
import { grantedFolders } from '../../policy/granted-folders.ts';
import type { OwnPlaces } from '../../policy/own-places.ts';
import type { Requirements } from '../../policy/requirements.ts';
import type { RolloutStore } from '../../ports/rollout-store.ts';
import type { Seals } from '../../ports/seals.ts';
import type { SnapshotContents } from '../../ports/snapshot-contents.ts';
import { createFlock } from '../../rollout/flock.ts';
import { mountRegistryFolders } from '../../sandbox/linux/mount-registry.ts';
import { createSandbox } from '../../sandbox/sandbox.ts';
import type { CheckpointHooks, ThreadParts } from '../../thread/parts.ts';
import { applyPatchTool } from '../../tools/apply-patch/apply-patch.ts';
import { nodeDisk } from '../../tools/apply-patch/node-disk.ts';
import { execCommandTool } from '../../tools/exec-command/exec-command.ts';
import { type OwnTool, ownTool } from '../../tools/own-tool.ts';
import { createRouter } from '../../tools/router.ts';
import { updatePlanTool } from '../../tools/update-plan/update-plan.ts';
import { viewImageTool } from '../../tools/view-image/view-image.ts';
import type { Environment } from '../environment.ts';
import { lazyGitGuard } from './lazy-git-guard.ts';
import { lazySnapshots } from './lazy-snapshots.ts';
import { findOwnPlaces } from './own-places.ts';

export interface ThreadPartsInput {
  readonly env: Environment;
  readonly osHome: string;
  readonly client: ClientFacts;
  readonly provider: ProviderConfig;
  readonly config: Config;
  readonly catalogue: Catalogue;
  readonly home: string;
  readonly store: RolloutStore;
  readonly contents: SnapshotContents;
  readonly seals: Seals;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: Settings;
  readonly tracer: Tracer;
  readonly requirements: Requirements;
  /** Nothing is kept on the disk. */
  readonly ephemeral: boolean;
  readonly checkpointHooks?: CheckpointHooks;
  readonly tools: readonly OwnTool[];
}

/** Makes what one thread works with. Nothing here waits or touches the world yet. */
export function createThreadParts(input: ThreadPartsInput): ThreadParts {
  const { env, clock, ids, provider, config, catalogue, home, settings } = input;
  const { cwd } = settings;
  const spawn = createNodeSpawn({ clock, runFolder: runFolder(home) });
  // Settings may change from turn to turn; a folder that was writable once may hold what a command put there.
  const opened = new Set(openedFolders(settings, config));
  const shell = findShell(env, { cwd, files: nodeProgramFiles, roots: [...opened] });
  const root = packageRoot();
  let own: OwnPlaces | undefined;
  const ownPlaces = () => (own ??= findOwnPlaces({ env, home, root }));
  const loginShell = loginShellFor(input, { shell: shell.path, root });
  const shellEnvironment = createShellEnvironment({
    env: definedOnly(env),
    ...(loginShell === undefined ? {} : { loginShell }),
  });
  const patchProgram = { folder: join(root, 'dist/commands'), node: process.execPath };
  const sandbox = createSandbox({
    platform: process.platform,
    architecture: process.arch,
    env,
    cwd,
    writable: () => [...opened],
    packagedBubblewrap: join(root, '.local/bubblewrap/usr/bin/bwrap'),
    mountRegistries: mountRegistryFolders,
    lingerMs: 1000,
    spawn,
    programFiles: nodeProgramFiles,
    processes: processTable,
  });
  const clientFor = (provider: ProviderConfig): ModelClient =>
    responsesClient({
      provider,
      credentials: providerCredentials(provider, {
        environment: env,
        logins: loginStore({ home, locks: createFlock({ clock, programs: systemPrograms }), clock }),
        post: postJson(sender({ environment: env })),
        programs: callerPrograms({
          path: env['PATH'] ?? '',
          writable: () => [cwd, '/tmp', env['TMPDIR'] ?? '', ...opened],
        }),
        now: () => clock.now(),
      }),
      environment: env,
      limits: config.answer,
      clock,
      random: Math.random,
    });
  const client = clientFor(provider);
  const gitGuard = lazyGitGuard(clock);
  const hasUndo = !input.ephemeral && config.undo.enabled;
  const watched = hasUndo ? { watch: createChangeWatch(home) } : {};
  const patches = { disk: nodeDisk(), clock, ...watched };
  const instructions = new InstructionFiles({ home, clock });
  const ownTools = input.tools.map(ownTool);
  const builtIn = [
    execCommandTool({ spawn, sandbox, shellEnvironment, patches, patchProgram, gitGuard, ...watched }),
    updatePlanTool(),
    applyPatchTool(patches, { form: 'freeform' }),
    viewImageTool({ loadImage: (path, policy) => loadImage(path, cwd, { denies: readGuard(policy).deniesModel }) }),
  ];
  return {
    clock,
    ids,
    store: input.store,
    seals: input.seals,
    encoder: responsesEncoder(),
    digester: createDigester(),
    client: {
      ...client,
      stream(request, signal) {
        // While the model thinks there is time to look around; the first command finds the answers waiting.
        const onSent = (): void => {
          request.onSent?.();
          sandbox.prepare();
        };
        return client.stream({ ...request, onSent }, signal);
      },
    },
    compactionLimits: config.compaction,
    clientOf(wanted) {
      const known = providerOf(config, wanted.id);
      const found = 'code' in known ? known : atLocalAddress(known, env);
      if ('code' in found || !isSameProvider(wanted, providerName(found.id, providerAddress(found)))) return undefined;
      return clientFor(found);
    },
    remoteCompaction: remoteCompaction(provider, settings.features ?? {}),
    processes: systemProcesses,
    requirements: input.requirements,
    tracer: input.tracer,
    ...(input.checkpointHooks === undefined ? {} : { checkpointHooks: input.checkpointHooks }),
    gitGuard,
    ...(hasUndo ? { snapshots: lazySnapshots(input) } : {}),
    random: Math.random,
    streamMaxRetries: provider.streamMaxRetries,
    router: createRouter([() => builtIn, () => ownTools]),
    gatherFacts(chosen) {
      // The thread may have moved to another folder since its configuration was read.
      const trust = chosen.cwd === cwd ? config.trust : findTrust(chosen.cwd, config).trust;
      const { cwd: folder, profile } = chosen;
      for (const path of openedFolders(chosen, config)) opened.add(path);
      return gatherFacts({
        clock,
        env,
        cwd: folder,
        client: input.client,
        trust,
        catalogue,
        own: ownPlaces(),
        profile,
        programFiles: nodeProgramFiles,
        roots: [...opened],
        providerAddress: providerAddress(provider),
      });
    },
    folderProblem,
    async gatherStep(envelope) {
      const { document, problems } = await instructions.load(envelope.instructions.user, envelope.policy.resolved);
      return { instructionDocument: document, date: timeFactsAt(clock.now(), env).date, problems };
    },
  };
}

/** Where commands may write under these settings, or under the configured ones in a run of another mode. */
function openedFolders(
  { cwd, profile }: Settings,
  { sandboxWorkspaceWrite: { writableRoots }, addedRoots }: Config,
): readonly string[] {
  return [cwd, ...writableRoots, ...addedRoots, ...grantedFolders(profile)];
}

/** Undefined where no login shell is asked: by choice, or because commands would get nothing of its answer. */
function loginShellFor(
  { config, requirements, settings, osHome, home, ephemeral, clock }: ThreadPartsInput,
  { shell, root }: { readonly shell: string; readonly root: string },
): ShellEnvironmentOptions['loginShell'] {
  const policy = settings.shellEnvironment;
  const allowed = requirements.allowLoginShell ?? config.allowLoginShell;
  if (!allowed || policy.inherit === 'none') return undefined;
  return {
    shell,
    home: osHome,
    program: { node: process.execPath, path: join(root, 'dist/keep-variables.js') },
    ...(ephemeral ? {} : { folder: join(home, 'capstan/shell') }),
    policy,
    secretNames: providerVariables(config),
    clock,
  };
}

function definedOnly(env: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** The package's own folder, from sources and from any depth of the bundle: what was built and unpacked is there. */
function packageRoot(): string {
  const { existsSync } = process.getBuiltinModule('node:fs');
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}
