import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../config/config.ts';
import {
  providerAddress,
  type ProviderConfig,
  type ProviderProblem,
  providerVariables,
} from '../../config/providers.ts';
import type { ClientFacts } from '../../envelope/facts.ts';
import type { Catalogue } from '../../envelope/model-record.ts';
import type { Settings } from '../../envelope/settings.ts';
import { createChangeWatch } from '../../exec/call-times.ts';
import { createNodeSpawn } from '../../exec/node-spawn.ts';
import { nodeProgramFiles } from '../../exec/node-program-files.ts';
import { processTable } from '../../exec/process-identity.ts';
import { runFolder } from '../../exec/run-folder.ts';
import { createShellEnvironment, type ShellEnvironmentOptions } from '../../exec/shell-environment.ts';
import { systemProcesses } from '../../exec/survivors.ts';
import { gatherFacts } from '../../gather/facts.ts';
import { folderProblem } from '../../gather/folder.ts';
import { InstructionFiles } from '../../gather/instruction-document.ts';
import { loadImage } from '../../gather/load-image.ts';
import { readGuard } from '../../gather/read-guard.ts';
import { findShell } from '../../gather/shell.ts';
import { findTrust } from '../../gather/trust.ts';
import { timeFactsAt } from '../../gather/timezone.ts';
import { createDigester } from '../../model/digester.ts';
import type { WireFormat } from '../../model/wire-format.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import type { ModelClient } from '../../ports/model-client.ts';
import type { Tracer } from '../../ports/tracer.ts';
import { grantedFolders } from '../../policy/granted-folders.ts';
import type { OwnPlaces } from '../../policy/own-places.ts';
import type { Requirements } from '../../policy/requirements.ts';
import type { RolloutStore } from '../../ports/rollout-store.ts';
import type { Seals } from '../../ports/seals.ts';
import type { SnapshotContents } from '../../ports/snapshot-contents.ts';
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
import { threadProviders } from './thread-providers.ts';

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
  readonly formats: readonly WireFormat[];
}

/** Makes what one thread works with. Nothing here touches the world yet. */
export async function createThreadParts(input: ThreadPartsInput): Promise<ThreadParts | ProviderProblem> {
  const { env, clock, ids, provider, config, catalogue, home, settings } = input;
  const { cwd } = settings;
  const spawn = createNodeSpawn({ clock, runFolder: runFolder(home) });
  // Settings may change from turn to turn; a folder that was writable once may hold what a command put there.
  const opened = new Set(openedFolders(settings, config));
  const providers = threadProviders({ ...input, writable: () => [...opened] });
  const made = await providers.make(provider);
  if ('code' in made) return made;
  const { accessPrograms } = made.capabilities;
  const providerFacts = { address: providerAddress(provider), wire: made.wire, accessPrograms };
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
  const gitGuard = lazyGitGuard(clock);
  const hasUndo = !input.ephemeral && config.undo.enabled;
  const watched = hasUndo ? { watch: createChangeWatch(home) } : {};
  const patches = { disk: nodeDisk(), clock, ...watched };
  const instructions = new InstructionFiles({ home, clock });
  const ownTools = input.tools.map(ownTool);
  const builtIn = [
    execCommandTool({ spawn, sandbox, shellEnvironment, patches, patchProgram, gitGuard, ...watched }),
    updatePlanTool(),
    applyPatchTool(patches, { form: made.capabilities.freeformTools === 'grammar' ? 'freeform' : 'function' }),
    viewImageTool({ loadImage: (path, policy) => loadImage(path, cwd, { denies: readGuard(policy).deniesModel }) }),
  ];
  return {
    clock,
    ids,
    store: input.store,
    seals: input.seals,
    provider: { ...made, client: withPreparation(made.client, () => sandbox.prepare()) },
    providerOf: providers.find,
    digester: createDigester(),
    compactionLimits: config.compaction,
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
        provider: providerFacts,
      });
    },
    folderProblem,
    async gatherStep(envelope) {
      const { document, problems } = await instructions.load(envelope.instructions.user, envelope.policy.resolved);
      return { instructionDocument: document, date: timeFactsAt(clock.now(), env).date, problems };
    },
  };
}

/** While the model thinks there is time to look around; the first command finds the answers waiting. */
function withPreparation(client: ModelClient, prepare: () => void): ModelClient {
  return {
    stream(request, signal) {
      const onSent = (): void => {
        request.onSent?.();
        prepare();
      };
      return client.stream({ ...request, onSent }, signal);
    },
    ...(client.compact === undefined ? {} : { compact: (request, signal) => client.compact!(request, signal) }),
    authMode: () => client.authMode(),
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
