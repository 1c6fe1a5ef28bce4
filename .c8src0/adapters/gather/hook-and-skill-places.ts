import type { ConfigLayer, LayerName } from '../../core/config/layer-order.ts';
import type { Config } from '../../core/config/config.ts';
import type { SkillScope } from '../../core/planes/select-skills.ts';
import { readSkillSwitches, type SkillSwitch } from '../../core/planes/skill-switches.ts';
import { deniesRead } from '../../core/policy/requirements.ts';
import { type JsonObject, objectAt } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { kindOfEntry, realPath } from '../disk/file-system.ts';
import { type BaseLayers, type ConfigChoices, mayExist, usualSystemFolders } from './config/config-layers.ts';
import { findTrust } from './config/project-trust.ts';
import { trustedProjectPaths } from './config/rules-in-folder.ts';
import { projectFolderNames, projectFolders, withTrailingSeparator } from './files/project-folders.ts';

type HookOwner = 'managed' | 'user' | 'project' | 'flags';
type HookPlace = { readonly path: string; readonly owner: HookOwner; readonly table?: JsonObject };
type HookChoices = Pick<ConfigChoices, 'systemFolders' | 'ignoreUserConfig'>;

/** Undefined if no file has hooks, so that the code that reads them is not loaded: most users have none. */
export function findHookPlaces(
  base: BaseLayers,
  layers: readonly ConfigLayer[],
  folder: string,
  { systemFolders = usualSystemFolders, ignoreUserConfig }: HookChoices,
) {
  const { requirements, home } = base;
  const beside = (owner: HookOwner, folders: readonly string[]): readonly HookPlace[] =>
    folders.map((each) => place(`${withTrailingSeparator(each)}hooks.json`, owner)).filter(mayExist);
  const { hooks } = requirements;
  const all: readonly HookPlace[] = [
    ...(hooks === undefined ? [] : [{ ...place(hooks.source, 'managed'), table: hooks.table }]),
    ...beside('managed', systemFolders).slice(0, 1),
    ...tablesOf(layers, 'managed'),
    ...beside('user', ignoreUserConfig === true ? [] : [home]),
    ...tablesOf(layers, 'user'),
    // Hooks of untrusted projects are not read; a notice says so.
    ...trustedProjectPaths(base, folder, 'hooks.json').map(({ path }) => place(path, 'project')),
    ...tablesOf(layers, 'project'),
    ...tablesOf(layers, 'flags'),
  ];
  const places = requirements.managedHooksOnly === true ? all.filter(({ owner }) => owner === 'managed') : all;
  if (places.length === 0) return undefined;
  return { places, state: stateOf(layers), denies: (path: string): boolean => deniesRead(requirements, path) };
}

const place = (path: string, owner: HookOwner): HookPlace => ({ path, owner });
const owners: Readonly<Record<LayerName, HookOwner | undefined>> = {
  default: undefined,
  system: 'managed',
  user: 'user',
  profile: 'user',
  project: 'project',
  flags: 'flags',
  managed: 'managed',
};

/** Hooks in configuration files themselves. A table with only decisions about hooks has none. */
function tablesOf(layers: readonly ConfigLayer[], owner: HookOwner): readonly HookPlace[] {
  return layers.flatMap(({ name, source, values, disabled }): readonly HookPlace[] => {
    const table = owners[name] === owner && disabled === undefined ? objectAt(values, 'hooks') : undefined;
    const has = table !== undefined && Object.keys(table).some((key) => key !== 'state');
    return table !== undefined && has ? [{ path: source, owner, table }] : [];
  });
}

/** The user's decisions. No project file decides about hooks. */
function stateOf(layers: readonly ConfigLayer[]): JsonObject {
  const own = layers.filter(({ name, disabled }) => disabled === undefined && (name === 'user' || name === 'flags'));
  const states = own.map(({ values }) => objectAt(objectAt(values, 'hooks'), 'state'));
  return Object.assign({}, ...states) as JsonObject;
}

type SkillPlace = { readonly path: string; readonly scope: SkillScope; readonly within?: string };
export type FoundSkillPlaces = ReturnType<typeof findSkillPlaces>;

interface SkillChoices extends Pick<ConfigChoices, 'systemFolders'> {
  readonly base: Pick<BaseLayers, 'home' | 'osHome'>;
  readonly config: Pick<Config, 'skills' | 'projects' | 'projectRootMarkers'>;
  readonly cwd: string;
}

/** Folders with skills, in order of precedence. Without any, this costs only a few file checks. */
export function findSkillPlaces(choices: SkillChoices) {
  const { base, config, cwd, systemFolders = usualSystemFolders } = choices;
  const { home, osHome } = base;
  const skills = `${withTrailingSeparator(home)}skills`;
  const own = [skills, `${withTrailingSeparator(osHome)}.agents/skills`].filter(isFolder);
  const bundled = config.skills?.bundled?.enabled === false ? [] : [`${skills}/.system`].filter(isFolder);
  const machine = systemFolders.map((folder) => `${withTrailingSeparator(folder)}skills`).filter(isFolder);
  const folders = projectFolders(cwd, config.projectRootMarkers);
  const project = folders.flatMap((owner) =>
    [...projectFolderNames, '.agents']
      .map((name) => ({ owner, path: `${withTrailingSeparator(owner)}${name}/skills` }))
      .filter(({ path }) => isFolder(path) && !own.some((each) => each === path || isSame(each, path))),
  );
  const decided = project.map((each) => ({ ...each, ...findTrust(each.owner, config, home) }));
  const trusted = decided.filter(({ trust }) => trust === 'trusted');
  const within = trusted.length === 0 ? undefined : realPath(folders[0] ?? cwd);
  const places: readonly SkillPlace[] = [
    ...trusted.toReversed().map(({ path }) => ({ path, scope: 'project' as const, within })),
    ...own.map((path) => ({ path, scope: 'user' as const })),
    ...bundled.map((path) => ({ path, scope: 'bundled' as const })),
    ...machine.map((path) => ({ path, scope: 'machine' as const })),
  ];
  // Leaves out folders that commands under Landlock may have changed: the configuration already reports those.
  const ignored = decided
    .filter(({ trust, changed }) => trust !== 'trusted' && changed === undefined)
    .map(({ path }) => path);
  return { places, problems: ignored.length === 0 ? [] : [untrustedSkills(ignored, folders[0] ?? cwd)] };
}

/** The user's decisions about single skills. No project file decides about them. */
export function skillSwitches(layers: readonly ConfigLayer[], osHome: string): readonly SkillSwitch[] {
  const own = new Set<ConfigLayer['name']>(['user', 'profile', 'flags']);
  return layers
    .filter(({ name, disabled }) => own.has(name) && disabled === undefined)
    .flatMap(({ values }) => readSkillSwitches(objectAt(values, 'skills')?.['config'], osHome));
}

const isFolder = (path: string): boolean => kindOfEntry(path) === 'folder';
const isSame = (a: string, b: string): boolean => realPath(a) === realPath(b);

function untrustedSkills(paths: readonly string[], root: string): Outcome<'skills-untrusted'> {
  const message = `The skills in ${paths.join(', ')} are ignored: you have not trusted the project.`;
  const next = `To use them, set trust_level = "trusted" under [projects."${root}"] in your config.toml.`;
  return { code: 'skills-untrusted', message, next };
}
