import { defined, valueOr } from '../../../base/objects.ts';
import { configKeyProblem, layerNames, sortBySeverity } from '../../../core/config/layer-order.ts';
import type { ConfigLayer, ConfigProblem } from '../../../core/config/layer-order.ts';
import { type Config, type ResolveConfigOptions, resolveConfig } from '../../../core/config/config.ts';
import { featureSwitches, isGateOpen } from '../../../core/config/features.ts';
import { type ConfigOverride, overrideValues } from '../../../core/config/flag-overrides.ts';
import { checkConfigValues } from '../../../core/config/keys/check-values.ts';
import { isFileUrl } from '../../../core/config/keys/key-kinds.ts';
import { configSchema } from '../../../core/config/keys/key-table.ts';
import { mergeValues } from '../../../core/policy/profiles/tables/inherited-table.ts';
import { readRequirements, type RequirementsResult } from '../../../core/config/requirements/read-requirements.ts';
import { secretVariablesIn } from '../../../core/config/servers/secret-variables.ts';
import { estimateTokens } from '../../../core/fragments/text/truncate.ts';
import { parseGlob } from '../../../core/policy/paths/glob.ts';
import type { DeniedReads, ManagedRequirements } from '../../../core/policy/requirements.ts';
import { filesWithSecrets } from '../../../core/policy/secrets.ts';
import type { LandlockUse } from '../../../ports/sandbox.ts';
import { type JsonObject, valueAt } from '../../../protocol/json.ts';
import { groupDigits } from '../../../protocol/outcome.ts';
import { fileSystem, realPath } from '../../disk/file-system.ts';
import { projectFolderNames, withTrailingSeparator } from '../files/project-folders.ts';
import {
  toAbsolutePath,
  flagsLayer,
  loadConfigFile,
  loadProfileFile,
  loadTomlFile,
  loadUnusedConfigFiles,
} from './config-file.ts';
import type { LoadedLayer } from './config-file.ts';
import { parseOverrideText } from './toml.ts';
import { dirname, join } from 'node:path';

/** Each is `key=value`, or a value that needs no parsing. Later ones override earlier ones. */
export type Overrides = readonly (string | ConfigOverride | WrittenOverride)[];
/** `key=value` from a command line; the key may be meant for another program. */
export type WrittenOverride = { readonly written: string; readonly foreign: true };
export type ConfigOverrides = Overrides | JsonObject;

export interface ConfigChoices {
  /** The user's home folder; replaces `~`. */
  readonly osHome: string;
  /** The process's own folder: relative paths in `config` start here. */
  readonly cwd: string;
  /** Overrides configuration files for all threads. Default: none. */
  readonly config?: ConfigOverrides;
  readonly profile?: string;
  readonly strictConfig?: boolean;
  readonly ignoreUserConfig?: boolean;
  readonly ignoreRules?: boolean;
  /** Folders that are writable, besides configured ones, whenever the workspace is. */
  readonly addDirectories?: readonly string[];
  /** Folders with machine-wide files, most preferred first: for each file the first that exists counts. */
  readonly systemFolders?: readonly string[];
}

/** Our own folder, and that of Codex, whose configuration is understood too. */
export const usualSystemFolders: readonly string[] = process.platform === 'win32' ? [] : ['/etc/capstan', '/etc/codex'];

export interface ReadLayers {
  readonly config: Config;
  /** Lowest first, including layers that do not count. */
  readonly layers: readonly ConfigLayer[];
  readonly problems: readonly ConfigProblem[];
}

/** The layers that all projects share. They suffice for a folder about which nothing is known. */
export interface BaseLayers extends ReadLayers {
  readonly home: string;
  readonly osHome: string;
  readonly options: ResolveConfigOptions;
  /** Files of the home that may hold keys and do not count in this run. */
  readonly unusedSecrets: readonly string[];
  /** All threads share the sandbox, so a thread's own layers do not change this. */
  readonly landlock: LandlockUse;
  readonly requirements: ManagedRequirements;
  /** Absent where the system has no place for requirements. */
  readonly requirementsFile?: string;
}

export async function loadBaseLayers(home: string, choices: ConfigChoices): Promise<BaseLayers> {
  const { osHome, cwd, profile, strictConfig, addDirectories = [] } = choices;
  const user = loadUserFile(`${withTrailingSeparator(home)}config.toml`, choices);
  const loaded = await Promise.all([
    ...loadSystemFile('system', 'config.toml', choices),
    user,
    ...(profile === undefined
      ? []
      : [user.then(({ layer }) => loadProfileFile(profile, { home, osHome, user: layer }))]),
    loadFlags(choices),
    ...loadSystemFile('managed', 'managed_config.toml', choices),
  ]);
  const layers = loaded.map(({ layer }) => layer);
  const used = layers.filter(({ disabled }) => disabled === undefined).map(({ source }) => source);
  const unused = await loadUnusedConfigFiles(home, { osHome, used });
  const requirementsFile = systemPath('requirements.toml', choices);
  const managed = layers.findLast(({ name }) => name === 'managed');
  const demanded = await loadRequirements({ osHome, path: requirementsFile, managed });
  const options: ResolveConfigOptions = {
    unknown: strictConfig === true ? 'error' : 'warning',
    addedRoots: addDirectories.map((folder) => String(toAbsolutePath(folder, { base: cwd, osHome }))),
    osHome,
    profile,
    managedProfiles: demanded.requirements.profileTables,
    otherVariables: unused.length === 0 ? undefined : secretVariablesIn(unused.map(({ layer }) => layer)),
  };
  const { config, problems } = resolveConfig(layers, options);
  const { sandboxFallback, features = {} } = config;
  const usual = sandboxFallback === 'landlock' ? 'fallback' : 'never';
  return {
    home,
    osHome,
    options,
    landlock: isGateOpen('use_legacy_landlock', featureSwitches(features)) ? 'always' : usual,
    requirements: demanded.requirements,
    requirementsFile,
    layers,
    config,
    problems: sortBySeverity([...loaded.flatMap((layer) => layer.problems), ...demanded.problems, ...problems]),
    unusedSecrets: [
      ...filesWithSecrets(unused.map(({ layer }) => layer)),
      // A file that cannot be read may hold anything.
      ...unused.flatMap((file) => (file.problems.length === 0 ? [] : [file.layer.source])),
    ],
  };
}

async function loadUserFile(path: string, { osHome, ignoreUserConfig }: ConfigChoices): Promise<LoadedLayer> {
  if (ignoreUserConfig !== true) return loadConfigFile({ name: 'user', path, osHome });
  return { layer: { name: 'user', source: path, values: {}, disabled: 'a flag says so' }, problems: [] };
}

function loadSystemFile(name: 'system' | 'managed', fileName: string, choices: ConfigChoices) {
  const path = systemPath(fileName, choices);
  return path === undefined ? [] : [loadConfigFile({ name, path, osHome: choices.osHome })];
}

/** The first existing file of that name, else where it would be. */
function systemPath(fileName: string, { systemFolders = usualSystemFolders }: ConfigChoices): string | undefined {
  const paths = systemFolders.map((folder) => withTrailingSeparator(folder) + fileName);
  return paths.find((path) => mayExist({ path })) ?? paths[0];
}

/** Replaces the engine's profile by another one, for one thread. */
export async function withProfile(base: BaseLayers, profile: string): Promise<ChangedLayers> {
  const { home, osHome } = base;
  const user = base.layers.find(({ name }) => name === 'user') ?? { name: 'user', source: home, values: {} };
  const { layer, problems: unread } = await loadProfileFile(profile, { home, osHome, user });
  const rank = ({ name }: ConfigLayer): number => layerNames.indexOf(name);
  const layers = [...base.layers.filter(({ name }) => name !== 'profile'), layer].toSorted((a, b) => rank(a) - rank(b));
  const options = { ...base.options, profile };
  return readAgain({ ...base, layers, options }, [...unread, ...engineKeyProblems(layer, 'warning')]);
}

/** Reads the configuration anew after a change. `added`: the problems in `found`, and new ones that the base lacks. */
function readAgain(base: BaseLayers, found: readonly ConfigProblem[]): ChangedLayers {
  const { config, problems } = resolveConfig(base.layers, base.options);
  const known = new Set(base.problems.map(({ message }) => message));
  const added = sortBySeverity([...found, ...problems.filter(({ message }) => !known.has(message))]);
  return { base: { ...base, config }, added };
}

type ChangedLayers = { readonly base: BaseLayers; readonly added: readonly ConfigProblem[] };

/** Keeps only these keys, except in the administrator's layer, which stays as it is. */
export function withOnlyKeys(base: BaseLayers, keys: readonly string[]): BaseLayers {
  const layers = base.layers.map((layer) => {
    if (layer.name === 'managed') return layer;
    return { ...layer, values: Object.fromEntries(Object.entries(layer.values).filter(([key]) => keys.includes(key))) };
  });
  return { ...base, layers, config: resolveConfig(layers, base.options).config };
}

/** Adds the flags of one thread. `added` holds only the problems that these cause. */
export async function withOverrides(
  base: BaseLayers,
  { config: given, cwd }: { readonly config: ConfigOverrides; readonly cwd: string },
): Promise<ChangedLayers> {
  const { layer: more, problems: malformed } = await loadFlags({ cwd, osHome: base.osHome, config: given });
  const layers = base.layers.map((layer) => {
    if (layer.name !== 'flags') return layer;
    return { ...layer, values: mergeValues(layer.values, more.values), ofCall: more.ofCall ?? layer.ofCall };
  });
  const late = engineKeyProblems({ ...more, source: 'config' }, 'error');
  return readAgain({ ...base, layers }, [...malformed, ...late]);
}

/** Reports keys of a thread's own layer that have no effect there, because all threads share one sandbox. */
function engineKeyProblems(layer: ConfigLayer, severity: ConfigProblem['severity']): readonly ConfigProblem[] {
  const keys = [['sandbox_fallback'], ['features', 'use_legacy_landlock']];
  const present = keys.filter((path) => valueAt(layer.values, path) !== undefined);
  const what = 'cannot be set for one thread, because all threads of the engine share a sandbox';
  const next = 'Set it in your own config.toml, or with -c when Capstan starts.';
  return present.map((path) => configKeyProblem(layer, path, { code: 'config-engine-key', severity, what, next }));
}

export function overrideList(config: ConfigOverrides = []): Overrides {
  if (isOverrides(config)) return config;
  return Object.entries(config).map(([key, value]) => ({ path: [key], value: value ?? null }));
}

const isOverrides = (config: ConfigOverrides): config is Overrides => Array.isArray(config);

async function loadFlags(choices: Pick<ConfigChoices, 'cwd' | 'osHome' | 'config'>): Promise<LoadedLayer> {
  const { cwd, osHome, config = [] } = choices;
  const parsed = await Promise.all(overrideList(config).map(parseOverride));
  const flags = parsed.filter((override) => 'path' in override);
  const problems = parsed.filter((override) => 'code' in override);
  const places = ['permissions', 'sandbox_workspace_write'];
  const ofCall = flags.some((flag) => flag.ofCall === true && places.includes(flag.path[0] ?? '')) || undefined;
  const layer: ConfigLayer = { ...flagsLayer(flags, { base: cwd, osHome }), ofCall };
  return { layer, problems: [...problems, ...unknownKeys(config, flags, layer)] };
}

async function parseOverride(given: Overrides[number]): Promise<ConfigOverride | ConfigProblem> {
  if (typeof given === 'string') return parseOverrideText(given);
  if (!('written' in given)) return given;
  const read = await parseOverrideText(given.written);
  return 'path' in read ? { ...read, foreign: true } : read;
}

/**
 * Makes unknown keys errors if a program gave them, since it relies on each. Keys on a command line may be meant for
 * another program. Leaves out unknown keys that are errors in any layer: reading the layer reports those.
 */
function unknownKeys(
  config: ConfigOverrides,
  flags: readonly ConfigOverride[],
  { source }: ConfigLayer,
): readonly ConfigProblem[] {
  const values = overrideValues(flags.filter(({ foreign }) => foreign !== true));
  const layer: ConfigLayer = { name: 'flags', source: isOverrides(config) ? source : 'config', values };
  return checkConfigValues(configSchema, layer, { unknown: 'warning' })
    .problems.filter(({ code, severity }) => code === 'config-unknown-key' && severity === 'warning')
    .map((problem) => ({ ...problem, severity: 'error' }));
}

/** Longer instructions would crowd out the work, and cutting them would change their meaning. */
const mostInstructionTokens = 10_000;
type RequirementPlaces = { readonly path?: string; readonly osHome: string; readonly managed?: ConfigLayer };

export async function loadRequirements({ path, osHome, managed }: RequirementPlaces): Promise<RequirementsResult> {
  const none = { layer: { name: 'managed', source: '', values: {} } satisfies ConfigLayer, problems: [] };
  const { layer, problems } = path === undefined ? none : await loadTomlFile('managed', path);
  const read = readRequirements(layer, managed, { osHome });
  const { denyRead, ...others } = read.requirements;
  const denied = denyRead === undefined ? undefined : resolved(denyRead, { base: dirname(layer.source), osHome });
  return {
    requirements: { ...others, ...defined({ denyRead: denied }) },
    problems: [...problems, ...read.problems, ...senseless(layer, denied), ...tooLong(layer, others.instructions)],
  };
}

/** A pattern that begins with any number of folders applies to the whole disk, wherever the file is. */
function resolved({ patterns, source }: DeniedReads, base: { base: string; osHome: string }): DeniedReads {
  const whole = patterns.map((pattern) => (pattern.startsWith('**/') ? `/${pattern}` : pattern));
  const placed = (pattern: string): string => (isNowhere(pattern) ? pattern : String(toAbsolutePath(pattern, base)));
  return { patterns: whole.map(placed), source };
}

/** A URL, or a path in another user's home, is no path that Capstan could find: denying it would protect nothing. */
const isNowhere = (pattern: string): boolean => isFileUrl(pattern) || /^~[^/]/.test(pattern);
const wrong = { code: 'config-wrong-value', severity: 'error' } as const;

function senseless(layer: ConfigLayer, denied: DeniedReads | undefined): readonly ConfigProblem[] {
  const problem = (what: string, next: string): ConfigProblem =>
    configKeyProblem(layer, ['permissions', 'filesystem', 'deny_read'], { ...wrong, what, next });
  return (denied?.patterns ?? []).flatMap((pattern) => {
    if (isNowhere(pattern)) return [problem(`contains ${pattern}, which is no path`, 'Write the whole path.')];
    if (parseGlob(pattern) !== undefined) return [];
    const next = 'Close every bracket and brace, and put a character after every backslash.';
    return [problem(`contains an invalid pattern (${pattern})`, next)];
  });
}

function tooLong(layer: ConfigLayer, instructions: string | undefined): readonly ConfigProblem[] {
  if (instructions === undefined || estimateTokens(instructions) <= mostInstructionTokens) return [];
  const what = `has more than ${groupDigits(mostInstructionTokens)} tokens`;
  return [configKeyProblem(layer, ['additional_developer_instructions'], { ...wrong, what, next: 'Shorten it.' })];
}

/** The user's own folder is named like a project's. */
export function isUserFolder(layer: string, { home, osHome }: BaseLayers): boolean {
  const own = [home, ...projectFolderNames.map((name) => join(osHome, name))];
  const real = realPath(layer);
  return own.some((folder) => folder === layer || (real !== undefined && realPath(folder) === real));
}

/** A path that cannot be checked counts as existing, so that reading it reports why. */
export function mayExist({ path }: { readonly path: string }): boolean {
  return valueOr(true, () => fileSystem.statSync(path, { throwIfNoEntry: false }) !== undefined);
}
