import { restrictedFileSystem } from '../policy/profiles/profile-entries.ts';
import { withoutReopenedPlaces, type NamedProfile } from '../policy/profiles/profiles.ts';
import type { FileSystemEntry, PermissionProfile } from '../../protocol/permissions.ts';
import { compileProfile, profileTableProblems } from '../policy/profiles/tables/compile-profile.ts';
import type { ProfileCompileBase } from '../policy/profiles/tables/compile-profile.ts';
import { profileTableWarning, wrongValueInProfile } from '../policy/profiles/tables/profile-tables.ts';
import type { ProfileTables, ProfileTableProblem } from '../policy/profiles/tables/profile-tables.ts';
import { isJsonObject, type JsonObject, objectAt, stringAt, valueAt } from '../../protocol/json.ts';
import type { CheckedConfigLayer } from './keys/check-layers.ts';
import { isOwnerLayer, configKeyProblem } from './layer-order.ts';
import type { ConfigLayer, ConfigProblem, ConfigProblemCode } from './layer-order.ts';
import { mergeConfigLayers } from './merge-values.ts';

export interface PermissionProfileOptions extends ProfileCompileBase {
  /** Defined by the administrator; they replace profiles of the same name. */
  readonly managedProfiles?: ProfileTables;
}

/**
 * The profile chosen by `default_permissions`, if that key decides and the profile is valid. Of it and `sandbox_mode`,
 * the one in the highest layer decides; in the same layer, `default_permissions`. Names are checked only once the folder
 * is known, since a project may define or choose a profile.
 */
export function resolvePermissionProfile(
  checked: readonly CheckedConfigLayer[],
  given: JsonObject,
  { managedProfiles = {}, ...base }: PermissionProfileOptions,
): { readonly named?: NamedProfile; readonly problems: readonly ConfigProblem[] } {
  const own = objectAt(given, 'permissions') ?? {};
  const decider = checked.findLast(({ values }) => decidingKey(values) !== undefined);
  const id = stringAt(decider?.values, 'default_permissions');
  const problems = [...profileTableProblems(own, base), ...contradiction(decider, id)];
  const tables = tablesIn({ ...own, ...managedProfiles });
  const compiled = id === undefined ? undefined : compileProfile(tables, id, base);
  if (base.cwd !== undefined) {
    if (compiled !== undefined && 'problem' in compiled) problems.push(compiled.problem);
    if (id !== undefined && compiled !== undefined && 'profile' in compiled) problems.push(...unusedHosts(own, id));
    if (decider === undefined && Object.keys(own).length > 0) problems.push(nothingChosen);
  }
  const layers = checked.map(({ layer }) => layer);
  const located = problems.map((problem) => locateProblem(layers, problem));
  if (id === undefined || compiled === undefined || 'problem' in compiled) return { problems: located };
  const ofOwners = mergeConfigLayers(checked.filter(({ layer }) => isOwnerLayer(layer)).map(({ values }) => values));
  const owned = tablesIn({ ...objectAt(ofOwners, 'permissions'), ...managedProfiles });
  const profile = checked.every(({ layer }) => isOwnerLayer(layer))
    ? compiled.profile
    : reopeningOnly(compiled.profile, entriesOf(owned, tables, id, base));
  return { named: { id, profile }, problems: located };
}

const tablesIn = (values: JsonObject): ProfileTables =>
  Object.fromEntries(Object.entries(values).filter(([, table]) => isJsonObject(table))) as ProfileTables;

/** Entries of the profile and its parents as defined by the user and the administrator alone. */
function entriesOf(owned: ProfileTables, tables: ProfileTables, id: string, base: ProfileCompileBase) {
  return parentsOf(tables, id).flatMap((each) => {
    const compiled = Object.hasOwn(owned, each) ? compileProfile(owned, each, base) : undefined;
    return compiled !== undefined && 'profile' in compiled
      ? (restrictedFileSystem(compiled.profile)?.entries ?? [])
      : [];
  });
}

/** Lets only the `owned` entries open Capstan's own places. */
function reopeningOnly(profile: PermissionProfile, owned: readonly FileSystemEntry[]): PermissionProfile {
  const known = new Set(owned.map((entry) => JSON.stringify(entry)));
  const keeping = restrictedFileSystem(withoutReopenedPlaces(profile))?.entries;
  const files = restrictedFileSystem(profile);
  if (profile.type !== 'managed' || files === undefined || keeping === undefined) return profile;
  const entries = files.entries.map((entry, at) => (known.has(JSON.stringify(entry)) ? entry : (keeping[at] ?? entry)));
  return { ...profile, file_system: { ...files, entries } };
}

function parentsOf(tables: JsonObject, id: string): readonly string[] {
  const chain: string[] = [];
  for (let next: string | undefined = id; next !== undefined && !chain.includes(next);) {
    chain.push(next);
    next = stringAt(objectAt(tables, next), 'extends');
  }
  return chain;
}

const nothingChosen = wrongValueInProfile(
  ['permissions'],
  'defines profiles, but neither default_permissions nor sandbox_mode chooses what commands may access',
  'Set default_permissions to the name of a profile.',
);

export function decidingKey(values: JsonObject): 'default_permissions' | 'sandbox_mode' | undefined {
  if ('default_permissions' in values) return 'default_permissions';
  return 'sandbox_mode' in values ? 'sandbox_mode' : undefined;
}

/** Reports a list of hosts without `enabled`: users expect it to open the network, but it does not. */
function unusedHosts(own: JsonObject, id: string): readonly ProfileTableProblem[] {
  const chain = parentsOf(own, id);
  const networkOf = (each: string): JsonObject | undefined => objectAt(objectAt(own, each), 'network');
  const listing = chain.find((each) => networkOf(each)?.['domains'] !== undefined);
  if (listing === undefined || chain.some((each) => networkOf(each)?.['enabled'] !== undefined)) return [];
  const what = 'has no effect: the network is off';
  return [profileTableWarning(['permissions', listing, 'network', 'domains'], what, 'Add enabled = true beside it.')];
}

function contradiction(
  decider: CheckedConfigLayer | undefined,
  id: string | undefined,
): readonly ProfileTableProblem[] {
  const mode = stringAt(decider?.values, 'sandbox_mode');
  if (id === undefined || mode === undefined) return [];
  if (decider?.layer.name !== 'flags') {
    const unused = `has no effect: default_permissions = "${id}" in the same file decides`;
    return [profileTableWarning(['sandbox_mode'], unused, 'Remove one of the two.')];
  }
  const what = `= "${id}" and sandbox_mode = "${mode}" contradict each other`;
  return [wrongValueInProfile(['default_permissions'], what, 'Use one of them.')];
}

const codes: Readonly<Record<Exclude<ProfileTableProblem['kind'], 'warning'>, ConfigProblemCode>> = {
  'unknown-key': 'config-unknown-key',
  'wrong-type': 'config-wrong-type',
  'wrong-value': 'config-wrong-value',
  'reserved-name': 'config-reserved-name',
};

/** Reports the problem in the highest layer that has the key, or else its nearest enclosing table. */
export function locateProblem(
  layers: readonly ConfigLayer[],
  { kind, path, what, next }: ProfileTableProblem,
): ConfigProblem {
  const lengths = path.map((_, index) => path.length - index);
  const holder = lengths
    .map((length) => layers.findLast(({ values }) => valueAt(values, path.slice(0, length)) !== undefined))
    .find((layer) => layer !== undefined);
  const isWarning = kind === 'warning';
  return configKeyProblem(holder ?? { name: 'default', source: 'configuration', values: {} }, path, {
    code: isWarning ? 'config-wrong-value' : codes[kind],
    severity: isWarning ? 'warning' : 'error',
    what,
    next,
  });
}
