import type { ConfigLayer, LayerName } from '../../config/config-layer.ts';
import { deniesRead } from '../../policy/denied-reads.ts';
import { type JsonObject, objectAt } from '../../protocol/json.ts';
import { type BaseLayers, type ConfigChoices, usualSystemFolders } from '../config/config-layers.ts';
import { findTrust } from '../config/trust.ts';
import { isOfUser, isThere } from '../config/layer-files.ts';
import { inside, projectFolders, projectNames } from '../files/project-folders.ts';

type HookOwner = 'managed' | 'user' | 'project' | 'flags';

interface HookPlace {
  readonly path: string;
  readonly owner: HookOwner;
  readonly table?: JsonObject;
}

/** Where hooks are, and what is decided about them. */
export interface FoundHookPlaces {
  readonly places: readonly HookPlace[];
  readonly state: JsonObject;
  denies(path: string): boolean;
}

type HookChoices = Pick<ConfigChoices, 'systemFolders' | 'ignoreUserConfig'>;

/** Undefined where no file has any: most users have none, and nothing that reads them is loaded then. */
export function findHookPlaces(
  base: BaseLayers,
  layers: readonly ConfigLayer[],
  folder: string,
  { systemFolders = usualSystemFolders, ignoreUserConfig }: HookChoices,
): FoundHookPlaces | undefined {
  const { requirements, home } = base;
  const ofMachine = systemFolders.map((each) => place(`${inside(each)}hooks.json`, 'managed')).filter(isThere);
  const ofUser = ignoreUserConfig === true ? [] : [place(`${inside(home)}hooks.json`, 'user')].filter(isThere);
  const demanded: readonly HookPlace[] =
    requirements.hooks === undefined
      ? []
      : [{ path: requirements.hooks.source, owner: 'managed', table: requirements.hooks.table }];
  const all = [
    ...demanded,
    ...ofMachine.slice(0, 1),
    ...tablesOf(layers, 'managed'),
    ...ofUser,
    ...tablesOf(layers, 'user'),
    ...projectFiles(base, folder),
    ...tablesOf(layers, 'project'),
    ...tablesOf(layers, 'flags'),
  ];
  const places = requirements.managedHooksOnly === true ? all.filter(({ owner }) => owner === 'managed') : all;
  if (places.length === 0) return undefined;
  return { places, state: stateOf(layers), denies: (path) => deniesRead(requirements, path) };
}

function place(path: string, owner: HookOwner): HookPlace {
  return { path, owner };
}

const owners: Readonly<Record<LayerName, HookOwner | undefined>> = {
  default: undefined,
  system: 'managed',
  user: 'user',
  profile: 'user',
  project: 'project',
  flags: 'flags',
  managed: 'managed',
};

/** What configuration files say themselves. A table that only decides about hooks has none. */
function tablesOf(layers: readonly ConfigLayer[], owner: HookOwner): readonly HookPlace[] {
  return layers.flatMap(({ name, source, values, disabled }): readonly HookPlace[] => {
    const table = owners[name] === owner && disabled === undefined ? objectAt(values, 'hooks') : undefined;
    const has = table !== undefined && Object.keys(table).some((key) => key !== 'state');
    return table !== undefined && has ? [{ path: source, owner, table }] : [];
  });
}

/** What the user decided. No file of a project decides about hooks. */
function stateOf(layers: readonly ConfigLayer[]): JsonObject {
  const own = layers.filter(({ name, disabled }) => disabled === undefined && (name === 'user' || name === 'flags'));
  return Object.assign(
    {},
    ...own.map(({ values }) => objectAt(objectAt(values, 'hooks'), 'state') ?? {}),
  ) as JsonObject;
}

/** Those of trusted projects: others are not read, and a notice says so. */
function projectFiles(base: BaseLayers, folder: string): readonly HookPlace[] {
  return projectFolders(folder, base.config.projectRootMarkers).flatMap((owner) =>
    projectNames
      .map((name) => inside(owner) + name)
      .filter((layer) => isThere({ path: `${layer}/hooks.json` }) && !isOfUser(layer, base))
      .filter(() => findTrust(owner, base.config, base.home).trust === 'trusted')
      .map((layer) => place(`${layer}/hooks.json`, 'project')),
  );
}
