import { defined } from '../../base/objects.ts';
import { valueAt } from '../../protocol/json.ts';
import type { NamedProfile } from '../policy/profiles/profiles.ts';
import { type ConfigLayer, type ConfigProblem, isOwnerLayer, configKeyProblem, sortBySeverity } from './layer-order.ts';
import { type Defaults, defaultsFor } from './defaults.ts';
import { type CheckedConfigLayer, checkConfigLayers, headerProblems, windowProblems } from './keys/check-layers.ts';
import { withCamelCaseKeys } from './keys/key-kinds.ts';
import { type ConfiguredProvider, type GivenConfigValues, configSchema, unsupportedKeysIn } from './keys/key-table.ts';
import { unsupportedTuiKeys } from './keys/tui-keys.ts';
import { variableFilterLists, mergeConfigLayers } from './merge-values.ts';
import { type PermissionProfileOptions, resolvePermissionProfile } from './permission-profiles.ts';
import type { ProjectDecisions, ProjectTrust } from './project-trust.ts';
import { priceProblems } from './providers/model-prices.ts';
import { formatTomlKey } from './toml/toml-key.ts';

/** All layers merged. A key without a default is absent when no layer set it. */
export interface Config extends Omit<GivenConfigValues, keyof Defaults>, Defaults {
  readonly modelProviders: Readonly<Record<string, ConfiguredProvider>>;
  readonly projects: ProjectDecisions;
  readonly trust: ProjectTrust;
  /** Dotted keys of flags and the managed file, with the one that decides. They beat a resumed thread's own values. */
  readonly pinned: ReadonlyMap<string, 'flags' | 'managed'>;
  readonly origins: KeyOrigins;
  /** Replaces `sandboxMode`. */
  readonly namedProfile?: NamedProfile;
  /** A project or a client named the writable roots, so they reopen nothing of Capstan's own. */
  readonly rootsKeepOwn?: true;
  /** Absolute folders that a flag makes writable besides the configured ones. */
  readonly addedRoots: readonly string[];
  /** Variables that providers name in the files of profiles that were not chosen; absent when none. */
  readonly otherVariables?: readonly string[];
  /** Keys that a layer sets, that should change what the agent does, but have no effect yet; absent when none. */
  readonly unused?: readonly string[];
  /** Likewise for `[tui]`, which only the terminal reads; absent when none. */
  readonly unusedTui?: readonly string[];
  /** The user layer's file, for messages that say where to write. */
  readonly userFile?: string;
}

export interface ResolveConfigOptions extends PermissionProfileOptions {
  readonly trust?: ProjectTrust;
  /** Severity of an unknown key; defaults to a warning. */
  readonly unknown?: 'warning' | 'error';
  readonly profile?: string;
  readonly addedRoots?: readonly string[];
  readonly otherVariables?: readonly string[];
}

/** Later layers win. `problems`: values left out of `config`, the worst first. A caller must stop at an error. */
export function resolveConfig(
  layers: readonly ConfigLayer[],
  options: ResolveConfigOptions = {},
): { readonly config: Config; readonly problems: readonly ConfigProblem[] } {
  const { trust = 'unknown', unknown = 'warning', profile, addedRoots = [], otherVariables, ...reading } = options;
  const checked = checkConfigLayers(layers, { unknown, otherVariables });
  const merged = mergeConfigLayers(checked.map(({ values }) => values));
  const given = withCamelCaseKeys(configSchema, merged);
  const { named: namedProfile, problems: profileProblems } = resolvePermissionProfile(checked, merged, reading);
  const { filters, ...shellPolicy } = given.shellEnvironmentPolicy ?? {};
  const defaults = defaultsFor(trust);
  const unused = unsupportedKeysIn(checked.flatMap((layer) => Object.keys(layer.unused)));
  const unusedTui = unsupportedTuiKeys(checked.map((layer) => layer.unused));
  const userFile = layers.findLast((layer) => layer.name === 'user')?.source;
  const config: Config = {
    ...defaults,
    ...given,
    sandboxWorkspaceWrite: { ...defaults.sandboxWorkspaceWrite, ...given.sandboxWorkspaceWrite },
    blobs: { ...defaults.blobs, ...given.blobs },
    answer: { ...defaults.answer, ...given.answer },
    compaction: { ...defaults.compaction, ...given.compaction },
    undo: { ...defaults.undo, ...given.undo },
    shellEnvironmentPolicy: {
      ...defaults.shellEnvironmentPolicy,
      ...shellPolicy,
      ...(filters && variableFilterLists(filters)),
    },
    modelProviders: given.modelProviders ?? {},
    projects: given.projects ?? {},
    trust,
    pinned: pinnedKeys(checked),
    origins: keyOrigins(checked),
    addedRoots,
    ...(rootsKeepOwn(checked) ? { rootsKeepOwn: true as const } : {}),
    ...(unused.length === 0 ? {} : { unused }),
    ...(unusedTui.length === 0 ? {} : { unusedTui }),
    ...defined({ userFile, namedProfile, otherVariables }),
  };
  const problems = [
    ...checked.flatMap((layer) => layer.problems),
    ...windowProblems(checked),
    ...headerProblems(checked),
    ...priceProblems(checked, merged),
    ...profileProblems,
    ...(profile === undefined ? [] : oldProfileProblems(layers, profile)),
  ];
  return { config, problems: sortBySeverity(problems) };
}

function rootsKeepOwn(checked: readonly CheckedConfigLayer[]): boolean {
  const path = ['sandbox_workspace_write', 'writable_roots'];
  const decider = checked.findLast(({ values }) => valueAt(values, path) !== undefined);
  return decider !== undefined && !isOwnerLayer(decider.layer);
}

/** Profiles used to be tables. A table named like the chosen profile no longer counts, which users may not expect. */
function oldProfileProblems(layers: readonly ConfigLayer[], chosen: string): readonly ConfigProblem[] {
  const path = ['profiles', chosen];
  const old = layers.filter(({ name, values }) => name !== 'project' && valueAt(values, path) !== undefined);
  return old.map((layer) =>
    configKeyProblem(layer, path, {
      code: 'config-retired-key',
      severity: 'error',
      what: 'is an old profile table, which Capstan ignores',
      next: `Move its keys to ${chosen}.config.toml in the home folder of Capstan and delete the table.`,
    }),
  );
}

function pinnedKeys(checked: readonly CheckedConfigLayer[]): Config['pinned'] {
  return new Map(
    checked.flatMap(({ layer: { name }, keys }) =>
      name === 'flags' || name === 'managed' ? keys.map((key) => [formatTomlKey(key), name] as const) : [],
    ),
  );
}

/** Layer that decided each key, by dotted key, in the order of the layers. */
type KeyOrigins = ReadonlyMap<string, string>;

function keyOrigins(checked: readonly CheckedConfigLayer[]): KeyOrigins {
  const origins = new Map<string, string>();
  for (const { layer, keys } of checked) {
    const origin = originName(layer);
    for (const path of keys) {
      const key = formatTomlKey(path);
      // Delete first, so that the map's order is that of the layers.
      origins.delete(key);
      origins.set(key, origin);
    }
  }
  return origins;
}

export function originOfKeys(origins: KeyOrigins, keys: readonly string[]): string | undefined {
  const isMeant = (set: string): boolean => keys.some((key) => set === key || set.startsWith(`${key}.`));
  return [...origins].findLast(([set]) => isMeant(set))?.[1];
}

/** `user`, `profile careful`, `project (/repo)`: short enough for a log, enough to find the file. */
function originName({ name, source }: ConfigLayer): string {
  const parts = source.split('/');
  if (name === 'profile') return `profile ${(parts.at(-1) ?? '').replace(/\.config\.toml$/, '')}`;
  return name === 'project' ? `project (${parts.slice(0, -2).join('/') || '/'})` : name;
}
