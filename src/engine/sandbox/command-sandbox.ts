import { nodeProgramFiles } from '../../adapters/disk/node-program-files.ts';
import { createNodeSpawn } from '../../adapters/exec/node-spawn.ts';
import { type InheritedRunResult, runWithOwnStreams } from '../../adapters/exec/run-program.ts';
import { findRepository } from '../../adapters/gather/git/repository.ts';
import { findPermissionPlaces, folderProblem } from '../../adapters/gather/permission-places.ts';
import { explainSandboxRoutes, type SandboxRouteExplanation } from '../../adapters/sandbox/explain-routes.ts';
import { createSandbox } from '../../adapters/sandbox/sandbox.ts';
import { defined } from '../../base/objects.ts';
import { stringOption, jsonObjectOption, trueOnlyOption, validateOptions } from '../../core/envelope/read-options.ts';
import type { OptionReaders, OptionType } from '../../core/envelope/read-options.ts';
import { findProgram } from '../../core/policy/environment/find-program.ts';
import { inheritanceFilter, fixedVariables } from '../../core/policy/environment/shell-environment-policy.ts';
import { normalisePath } from '../../core/policy/paths/absolute-paths.ts';
import { needsSandbox } from '../../core/policy/paths/access.ts';
import { noOwnPlaces } from '../../core/policy/paths/special-places.ts';
import type { OwnHomes, OwnPlaces, PermissionPlaces } from '../../core/policy/paths/special-places.ts';
import { readProfile } from '../../core/policy/profiles/read-profile.ts';
import { resolvePolicy } from '../../core/policy/profiles/resolve-policy.ts';
import { builtInModes } from '../../core/policy/profiles/tables/profile-tables.ts';
import { isWrongValue, memberPath } from '../../core/policy/profiles/profile-entries.ts';
import { withNetworkRules } from '../../core/policy/rules/rule-set.ts';
import type { PlainCommand, RunnableCommand, SandboxRefused } from '../../ports/sandbox.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { PermissionProfile, ResolvedPolicy, SandboxMode } from '../../protocol/permissions.ts';
import { variablesOption } from '../engine-options.ts';
import type { EngineParts } from '../engine-parts.ts';
import { configureThread } from '../thread-setup/configure-thread.ts';
import { lazyGitGuard } from '../thread-setup/lazy-workspace.ts';
import { deniedPathCheck, rootsWithProtectedNames } from '../thread/turn-effects.ts';

export interface SandboxRequest {
  /** Absolute. */
  readonly cwd: string;
  /** `named`: a profile by its name. Absent: that of a flag, else read-only. */
  readonly permissions?: { readonly named: string } | { readonly profile: PermissionProfile };
  readonly landlockOnly?: true;
  /** The whole environment of commands. Default: what the configuration allows. */
  readonly env?: Readonly<Record<string, string>>;
}

const sandboxOptions = {
  cwd: { type: stringOption, required: true },
  permissions: { type: permissionsOption() },
  landlockOnly: { type: trueOnlyOption },
  env: { type: commandVariables() },
} as const satisfies OptionReaders<SandboxRequest>;

function commandVariables(): OptionType<NonNullable<SandboxRequest['env']>> {
  return {
    ...variablesOption,
    read(given) {
      const read = variablesOption.read(given);
      return read && (defined(read) as Readonly<Record<string, string>>);
    },
  };
}

function permissionsOption(): OptionType<NonNullable<SandboxRequest['permissions']>> {
  return {
    expected: 'an object with named or profile',
    read(given) {
      const { named, profile, ...others } = (jsonObjectOption.read(given) ?? {}) as JsonObject;
      if (Object.keys(others).length > 0 || (named === undefined) === (profile === undefined)) return undefined;
      if (named !== undefined) return typeof named === 'string' ? { named } : undefined;
      const read = readProfile(profile);
      return isWrongValue(read) ? { ...read, at: memberPath('profile', read.at) } : { profile: read };
    },
  };
}

/** A folder with a policy, in which commands of the user run as a model's would. */
export interface CommandSandbox {
  readonly kind: 'command-sandbox';
  readonly cwd: string;
  readonly policy: ResolvedPolicy;
  /** Places of the engine, which are not the user's work. */
  readonly own: OwnHomes;
  /** Name of the permission profile, if the configuration names it. */
  readonly profileName?: string;
  readonly notices: readonly Outcome[];
  means(): Promise<SandboxMeans | Outcome>;
  /** Runs a command with the streams of this process. `notice`: gets notices before it starts, and only if it does. */
  run(
    argv: readonly string[],
    options?: { readonly cwd?: string; readonly notice?: (about: Outcome) => void },
  ): Promise<InheritedRunResult | ProgramProblem | Outcome>;
  /** Isolates a command of another caller as the policy says. */
  plan(command: PlainCommand): Promise<RunnableCommand | SandboxRefused>;
  /** Finds the program that the user means, never one in the project: a stranger may have put it there. */
  find(name: string): string | undefined;
  capture(argv: readonly string[]): Promise<{ readonly exitCode: number; readonly text: string } | Outcome>;
  explain(): Promise<readonly SandboxRouteExplanation[]>;
}

export interface SandboxMeans {
  readonly kind: 'direct' | 'bubblewrap' | 'landlock' | 'seatbelt' | 'windows';
  readonly program?: string;
  readonly closesUserNamespaces?: boolean;
  readonly ownProcessTable?: boolean;
}

const captureLimits = { timeoutMs: 60_000, outputBytes: 1024 * 1024 };

export async function openSandbox(engine: EngineParts, given: SandboxRequest): Promise<CommandSandbox | Outcome> {
  const request = validateOptions<SandboxRequest>(given, sandboxOptions, 'openSandbox()');
  if ('code' in request) return request;
  const chosen = await choosePolicy(engine, request);
  if ('code' in chosen) return chosen;
  const { cwd, policies, env, notices, profileName } = chosen;
  const { clock } = engine;
  const landlock = request.landlockOnly === true ? 'always' : (engine.sandboxOptions.landlock ?? 'never');
  // This process ends with the command, so nothing needs to stay for another one.
  const sandbox = createSandbox({ ...engine.sandboxOptions, lingerMs: 0, landlock });
  const policy = (await sandbox.usesLandlock()) ? policies.fitted : policies.whole;
  const gitGuard = lazyGitGuard(clock);
  const plan = async (command: PlainCommand) => {
    const looked = { roots: rootsWithProtectedNames(policy), denies: deniedPathCheck(policy) };
    await gitGuard.look(looked, new AbortController().signal);
    return sandbox.plan(command, policy, gitGuard.current);
  };
  const planned = (argv: readonly string[], more: Partial<PlainCommand>) => plan({ argv, cwd, env, ...more });
  return {
    kind: 'command-sandbox',
    cwd,
    policy,
    own: engine.ownPlaces(),
    ...defined({ profileName }),
    notices,
    async means() {
      const route = await sandbox.route(policy);
      if (route.kind === 'refused') return route;
      if (route.kind === 'landlock') return { kind: route.kind, closesUserNamespaces: true };
      if (route.kind !== 'bubblewrap') return { kind: route.kind };
      const { path: program, closesUserNamespaces, ownProcessTable } = route.bubblewrap;
      return { kind: route.kind, program, closesUserNamespaces, ownProcessTable };
    },
    plan,
    async run(argv, { cwd: folder, notice } = {}) {
      const problem = programProblem(argv[0] ?? '', { cwd: folder ?? cwd, path: env['PATH'] });
      if (problem !== undefined) return problem;
      const command = await planned(argv, { terminal: 'inherited', ...defined({ cwd: folder }) });
      if (command.kind === 'refused') return command;
      if (command.notice?.code === 'sandbox-fallback') notice?.(command.notice);
      return runWithOwnStreams(command);
    },
    find(name) {
      const search = { name, path: env['PATH'] ?? '', writable: [findRepository(cwd) ?? cwd] };
      const found = findProgram({ ...search, prefer: 'caller' }, nodeProgramFiles);
      return found ?? findProgram({ ...search, path: '', prefer: 'system' }, nodeProgramFiles);
    },
    async capture(argv) {
      const command = await planned(argv, {});
      if (command.kind === 'refused') return command;
      const spawn = createNodeSpawn({ clock, runFolder: `${engine.base.home}/capstan/run` });
      const end = await spawn.run(command, captureLimits, { signal: new AbortController().signal });
      if (end.kind === 'not-started') return { code: 'not-started', message: end.reason, next: '' };
      return { exitCode: end.kind === 'exited' ? end.exitCode : -1, text: end.output.text };
    },
    async explain() {
      const problems = { bubblewrap: await sandbox.bubblewrapProblem(), landlock: await sandbox.landlockProblem() };
      return explainSandboxRoutes(policies, { cwd, temporary: env['TMPDIR'], problems: defined(problems) });
    },
  };
}

export async function needsSandboxIn(engine: EngineParts, cwd: string): Promise<boolean> {
  const policy = await threadPolicy(engine, cwd, noOwnPlaces);
  return policy !== undefined && needsSandbox(policy);
}

/** Returns why all commands of new threads in a folder would be refused. */
export async function sandboxRefusalIn(engine: EngineParts, cwd: string): Promise<SandboxRefused | undefined> {
  const policy = await threadPolicy(engine, cwd, engine.ownPlaces());
  const route = policy && (await engine.sandbox.route(policy));
  return route?.kind === 'refused' ? route : undefined;
}

async function threadPolicy(engine: EngineParts, cwd: string, own: OwnPlaces): Promise<ResolvedPolicy | undefined> {
  const configured = await configureThread(engine, { cwd }, {});
  if ('code' in configured) return undefined;
  const { sandbox: profile } = configured.settings;
  const landlock = (await engine.sandbox.usesLandlock()) ? ({ landlock: true } as const) : {};
  return resolvePolicy(profile, { ...findPermissionPlaces(cwd, engine.options.env, { own, profile }), ...landlock });
}

async function choosePolicy(engine: EngineParts, request: SandboxRequest) {
  const { options, base } = engine;
  const { permissions } = request;
  const cwd = normalisePath(request.cwd);
  const missing = cwd === undefined ? undefined : folderProblem(cwd);
  if (cwd === undefined || missing !== undefined) return missing ?? noFolder(request.cwd);
  const named = permissions !== undefined && 'named' in permissions ? permissions.named : undefined;
  const isChosen = ['sandbox_mode', 'default_permissions'].some((key) => base.config.pinned.get(key) === 'flags');
  const config = named !== undefined ? overridesFor(named) : isChosen ? [] : modeOverrides('read-only');
  const configured = await configureThread(engine, { cwd }, { config });
  if ('code' in configured) return named === undefined ? configured : asOption(configured, named);
  const { settings, notices, profileName } = configured;
  // Start no program from a folder that commands of other runs may write, such as the one where Capstan was started.
  const { writableRoots } = configured.config.sandboxWorkspaceWrite;
  for (const path of [cwd, options.cwd, ...writableRoots, ...base.config.sandboxWorkspaceWrite.writableRoots])
    engine.opened.add(path);
  const profile = permissions !== undefined && 'profile' in permissions ? permissions.profile : settings.sandbox;
  const places = findPermissionPlaces(cwd, options.env, { own: engine.ownPlaces(), profile });
  const resolved = (where: PermissionPlaces): ResolvedPolicy =>
    withNetworkRules(resolvePolicy(profile, where), settings.networkRules ?? []);
  const policies = { whole: resolved(places), fitted: resolved({ ...places, landlock: true }) };
  const isInherited = inheritanceFilter(settings.shellEnvironment);
  const variables = Object.entries(defined(options.env) as Record<string, string>);
  const inherited = variables.filter(([name]) => isInherited(name));
  const isOffline = policies.whole.network === 'restricted';
  const network: typeof request.env = isOffline ? { CODEX_SANDBOX_NETWORK_DISABLED: '1' } : {};
  const usual = { ...Object.fromEntries(inherited), ...fixedVariables(settings.shellEnvironment) };
  const env: Readonly<Record<string, string>> = { ...(request.env ?? usual), ...network };
  return { cwd, policies, notices, profileName, env };
}

/** Selects a profile by name. A built-in one ignores what is configured for modes. */
function overridesFor(name: string) {
  const mode = Object.hasOwn(builtInModes, name) ? builtInModes[name] : undefined;
  return mode === undefined ? [{ path: ['default_permissions'], value: name }] : modeOverrides(mode);
}

/** Rewords a fault in the key behind the option, using the name that the user wrote. */
function asOption(outcome: Outcome, name: string): Outcome {
  const message = outcome.message.replace(/^command line: default_permissions (= "[^"]*")?/, (_, value?: string) =>
    value === undefined ? '-P ' : `-P ${name}`,
  );
  return { ...outcome, message };
}

function modeOverrides(mode: SandboxMode) {
  const bare = { writable_roots: [], network_access: false, exclude_tmpdir_env_var: false, exclude_slash_tmp: false };
  const options = Object.entries(bare).map(([key, value]) => ({ path: ['sandbox_workspace_write', key], value }));
  return [{ path: ['sandbox_mode'], value: mode }, ...options];
}

function noFolder(given: string): Outcome {
  const message = `${JSON.stringify(given)} is not an absolute path.`;
  return { code: 'folder-relative', message, next: 'Give an absolute path.' };
}

/** `exitCode`: as of a shell, 126 for a file that is no program, 127 for none. */
type ProgramProblem = { readonly kind: 'not-started'; readonly reason: string; readonly exitCode: 126 | 127 };

/** Returns why a shell in that folder would not start the program, looked up with the command's own PATH. */
function programProblem(
  name: string,
  { cwd, path = '/bin:/usr/bin' }: { readonly cwd: string; readonly path: string | undefined },
): ProgramProblem | undefined {
  const places = name.includes('/') ? [name] : path.split(':').map((folder) => `${folder || '.'}/${name}`);
  const files = places
    .map((place) => (place.startsWith('/') ? place : `${cwd}/${place}`))
    .filter((file) => nodeProgramFiles.place(file) !== undefined);
  if (files.some((file) => nodeProgramFiles.program(file) !== undefined)) return undefined;
  const isMissing = files.length === 0;
  const reason = `The program ${JSON.stringify(name)} ${isMissing ? 'was not found' : 'is not executable'}.`;
  return { kind: 'not-started', reason, exitCode: isMissing ? 127 : 126 };
}
