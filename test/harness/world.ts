import type { GatheredFacts, StepFacts } from '../../src/core/envelope/facts.ts';
import type { SettingsChange } from '../../src/core/envelope/apply-settings-change.ts';
import type { CollaborationSetting, OmittedContext, Personality, Settings } from '../../src/core/envelope/settings.ts';
import type { NetworkRule } from '../../src/core/policy/rules/rule-set.ts';
import { builtInProfile } from '../../src/core/policy/profiles/profiles.ts';
import { defaultShellEnvironmentPolicy } from '../../src/core/policy/environment/shell-environment-policy.ts';
import type { ApprovalPolicy, SandboxMode } from '../../src/protocol/permissions.ts';
import { worldModels } from './world-models.ts';
import type { WorldSkill } from './world-skills.ts';
import { noOwnPlaces } from '../../src/core/policy/paths/special-places.ts';

/** Everything that may differ between two turns of a thread: what was chosen, and what is the case. */
export interface World {
  readonly model: string;
  readonly effort: string;
  readonly cwd: string;
  readonly mode: SandboxMode;
  readonly network: boolean;
  readonly approval: ApprovalPolicy;
  readonly prefixes: readonly (readonly string[])[];
  readonly rules: readonly NetworkRule[];
  readonly collaboration: CollaborationSetting | undefined;
  readonly personality: Personality | undefined;
  readonly realtime: boolean;
  readonly base: string | undefined;
  readonly developer: string | undefined;
  readonly managed: string | undefined;
  readonly leaveOut: readonly OmittedContext[];
  /** The facts about MCP servers. Undefined: there are none. */
  readonly servers: StepFacts['mcpServers'] | undefined;
  readonly deferred: readonly { readonly name: string; readonly description: string }[];
  readonly skills: readonly WorldSkill[];
  readonly memory: string | undefined;
  readonly session: readonly string[];
  /** True if there are hooks. A thread goes by what it was opened with. */
  readonly hooks: boolean;
  /** The model that continues when another has no quota left. A thread goes by what it was opened with. */
  readonly fallback: string | undefined;
  readonly apps: boolean;
  readonly plugins: boolean;
  /** Tools that are there besides the one for commands. */
  readonly tools: readonly string[];
  readonly date: string;
  readonly timezone: string;
  /** The text of AGENTS.md. */
  readonly instructions: string | undefined;
  /** In tokens, if it is not the model's. A thread goes by what it was opened with. */
  readonly window: number | undefined;
}

export const firstWorld: World = {
  model: 'gpt-5.5',
  effort: 'medium',
  cwd: '/repo',
  mode: 'workspace-write',
  network: false,
  approval: 'never',
  prefixes: [],
  rules: [],
  collaboration: undefined,
  personality: undefined,
  realtime: false,
  base: undefined,
  developer: undefined,
  managed: undefined,
  leaveOut: [],
  servers: undefined,
  deferred: [],
  skills: [],
  memory: undefined,
  session: [],
  hooks: false,
  fallback: undefined,
  apps: false,
  plugins: false,
  tools: [],
  date: '2026-11-15',
  timezone: 'Etc/UTC',
  instructions: 'Be kind.',
  window: undefined,
};

export function settingsOf(world: World): Settings {
  const { model, effort, cwd, approval, collaboration, personality } = world;
  return {
    model,
    effort,
    provider: 'scripted',
    cwd,
    approvals: approval,
    sandbox: profileOf(world),
    shellEnvironment: defaultShellEnvironmentPolicy,
    approvedPrefixes: world.prefixes,
    networkRules: world.rules,
    leaveOut: world.leaveOut,
    realtime: { active: world.realtime },
    ...(collaboration === undefined ? {} : { collaboration }),
    ...(personality === undefined ? {} : { personality }),
    ...(world.base === undefined ? {} : { baseInstructions: world.base }),
    ...(world.developer === undefined ? {} : { developerInstructions: world.developer }),
    ...(world.managed === undefined ? {} : { managedInstructions: world.managed }),
    ...(world.window === undefined ? {} : { window: { contextWindow: world.window, skillsPercent: 10 } }),
  };
}

/** The configured settings, where threads remember nothing. */
export function configuredIn({ base, developer, managed, leaveOut, window }: World): Settings {
  return settingsOf({ ...firstWorld, base, developer, managed, leaveOut, window });
}

/** The changes that a client can make to it while the thread is open. */
export function changeTo(world: World): SettingsChange {
  const { model, effort, cwd, approval, collaboration, personality, realtime } = world;
  return {
    model,
    effort,
    cwd,
    approvals: approval,
    sandbox: profileOf(world),
    collaboration: collaboration ?? { mode: 'default' },
    personality: personality ?? null,
    realtime: { active: realtime },
  };
}

function profileOf({ mode, network }: World) {
  return builtInProfile(mode, { network, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: false });
}

export function factsOf(world: World, cwd: string, epochMs: number): GatheredFacts {
  const { date, timezone, apps, plugins } = world;
  return {
    time: { epochMs, date, timezone },
    shell: { name: 'bash', path: '/bin/bash' },
    places: { cwd, workspaceRoots: [cwd], slashTmp: true, gitDirectories: [], own: noOwnPlaces },
    trust: 'trusted',
    catalogue: worldModels,
    client: { name: 'capstan_test', version: '0', source: 'exec' },
    found: { apps, plugins },
  };
}

export function stepFactsOf({ date, instructions, session, memory }: World, cwd: string): StepFacts {
  const instructionDocument = instructions === undefined ? {} : { directory: cwd, text: instructions };
  const remembered = memory === undefined ? {} : { memory: { summary: memory, folder: '/home/memories' } };
  return { date, instructionDocument, sessionContext: session, ...remembered };
}
