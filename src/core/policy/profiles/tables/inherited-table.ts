import { isJsonObject, type Json, type JsonObject, objectAt, stringAt } from '../../../../protocol/json.ts';
import { canonicalPattern, fileEntries, type TableBase } from './file-entries.ts';
import { withNormalHosts } from './network-details.ts';
import { builtInModes, builtInProfileTables, isBuiltInId, wrongValueInProfile } from './profile-tables.ts';
import type { ProfileTables, ProfileTableProblem } from './profile-tables.ts';

type InheritedTable = { readonly table: JsonObject } | { readonly problem: ProfileTableProblem };

/** A profile's table merged over its parents'. Its description is never inherited. */
export function inheritedTable(tables: ProfileTables, id: string, base: TableBase): InheritedTable {
  const chain: string[] = [];
  const found: JsonObject[] = [];
  for (let next: string | undefined = id; next !== undefined;) {
    const child: string | undefined = chain.at(-1);
    const at = child === undefined ? ['default_permissions'] : ['permissions', child, 'extends'];
    if (chain.includes(next)) {
      const circle = [...chain.slice(chain.indexOf(next)), next].join(' -> ');
      return { problem: wrongValueInProfile(at, `makes a circle: ${circle}`, 'Remove one of these extends.') };
    }
    const named: InheritedTable = tableOf(tables, next, at, child !== undefined);
    if ('problem' in named) return named;
    chain.push(next);
    found.push(named.table);
    next = isBuiltInId(next) ? undefined : stringAt(named.table, 'extends');
  }
  const [own = {}, ...parents] = found.map(withNormalHosts);
  const over = (child: JsonObject, parent: JsonObject): JsonObject =>
    mergeValues(withoutRespelled(withoutWords(parent), child, base), child);
  return { table: parents.reduce<JsonObject>(over, own) };
}

function tableOf(tables: ProfileTables, id: string, at: readonly string[], isParent: boolean): InheritedTable {
  const known: ProfileTables = isBuiltInId(id) ? builtInProfileTables : tables;
  const table = Object.hasOwn(known, id) ? known[id] : undefined;
  if (table !== undefined) return { table };
  const wrong = (what: string, next: string) => ({ problem: wrongValueInProfile(at, what, next) });
  if (isParent && id === ':danger-full-access')
    return wrong(`cannot be "${id}", which has no sandbox`, 'Extend ":workspace" or ":read-only".');
  const ids = Object.keys(isParent ? builtInProfileTables : builtInModes);
  if (!isBuiltInId(id)) {
    const next = ids.includes(`:${id}`)
      ? `Did you mean ":${id}"?`
      : `Define [permissions.${id}], or use ${[...Object.keys(tables), ...ids].join(', ')}.`;
    return wrong(`names a profile that is not defined ("${id}")`, next);
  }
  return wrong(`names a built-in profile that does not exist ("${id}")`, `Use ${ids.join(', ')}.`);
}

const withoutWords = ({ description: _description, extends: _extends, ...table }: JsonObject): JsonObject => table;

/** Tables merge key by key; any other value is replaced as a whole. */
export function mergeValues(lower: JsonObject, upper: JsonObject): JsonObject {
  const merged = new Map<string, Json | undefined>(Object.entries(lower));
  for (const [key, value] of Object.entries(upper)) {
    const below = merged.get(key);
    merged.set(key, isJsonObject(value) && isJsonObject(below) ? mergeValues(below, value) : value);
  }
  // Unlike assignment, this makes even `__proto__` an own member.
  return Object.fromEntries(merged);
}

/** The parent's profile without places that its child spells differently. */
function withoutRespelled(parent: JsonObject, child: JsonObject, base: TableBase): JsonObject {
  const [above, own] = [objectAt(parent, 'filesystem'), objectAt(child, 'filesystem')];
  if (above === undefined || own === undefined) return parent;
  const replaced = new Set(fileEntries(own, [], base).entries.map(({ path }) => canonicalPattern(path)));
  const isReplaced = (key: string, value: unknown): boolean => {
    const [entry] = fileEntries({ [key]: value } as JsonObject, [], base).entries;
    return entry !== undefined && replaced.has(canonicalPattern(entry.path));
  };
  const left = Object.entries(above).flatMap(([key, value]) => {
    // An equal spelling replaces by itself.
    if (Object.hasOwn(own, key)) return [[key, value]];
    if (!isJsonObject(value)) return isReplaced(key, value) ? [] : [[key, value]];
    const kept = Object.entries(value).filter(([subpath, access]) => !isReplaced(key, { [subpath]: access }));
    return kept.length === 0 ? [] : [[key, Object.fromEntries(kept)]];
  });
  return { ...parent, filesystem: Object.fromEntries(left) as JsonObject };
}
