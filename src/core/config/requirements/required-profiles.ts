import { type CompileBase, compileProfile, tableProblems } from '../../policy/profiles/tables/compile-profile.ts';
import {
  type ProfileTables,
  type TableProblem,
  tableWarning,
  unknownTableKey,
  wrongType,
  wrongValue,
} from '../../policy/profiles/tables/profile-tables.ts';
import type { NamedProfile } from '../../policy/profiles/profiles.ts';
import type { AllowedProfiles } from '../../policy/requirements.ts';
import { isJsonObject, objectAt, stringAt } from '../../../protocol/json.ts';
import { type ConfigLayer, keySource } from '../config-layer.ts';

const allowedKey = 'allowed_permission_profiles';
const defaultKey = 'default_permissions';

export interface RequiredProfiles {
  readonly allowed?: AllowedProfiles;
  readonly tables: ProfileTables;
  readonly denyRead: readonly string[];
  readonly problems: readonly TableProblem[];
}

/** Permission profiles of `requirements.toml`. An allowed profile must be built in or defined there. */
export function requiredProfiles(file: ConfigLayer, base: CompileBase): RequiredProfiles {
  const { filesystem, ...profiles } = objectAt(file.values, 'permissions') ?? {};
  const denied = deniedReads(filesystem ?? {});
  const tables = Object.fromEntries(
    Object.entries(profiles).filter(([, table]) => isJsonObject(table)),
  ) as ProfileTables;
  const choices = allowedProfiles(file, tables, base);
  return {
    ...(choices.allowed === undefined ? {} : { allowed: choices.allowed }),
    tables,
    denyRead: denied.patterns,
    problems: [
      ...denied.problems,
      ...tableProblems(profiles, base),
      ...relativeRoots(tables),
      ...parentProblems(tables, base),
      ...choices.problems,
    ],
  };
}

function deniedReads(filesystem: unknown) {
  const at = ['permissions', 'filesystem'];
  if (!isJsonObject(filesystem)) return { patterns: [], problems: [wrongType(at, 'a table', String(filesystem))] };
  const { deny_read: patterns = [], ...others } = filesystem;
  const unknown = Object.keys(others).map((key) => unknownTableKey([...at, key], ['deny_read']));
  const key = [...at, 'deny_read'];
  if (!Array.isArray(patterns) || !patterns.every((text) => typeof text === 'string'))
    return { patterns: [], problems: [...unknown, wrongType(key, 'a list of paths', patterns)] };
  if (!patterns.includes('')) return { patterns: patterns as readonly string[], problems: unknown };
  return { patterns: [], problems: [...unknown, wrongValue(key, 'must not contain an empty path', 'Remove it.')] };
}

function parentProblems(tables: ProfileTables, base: CompileBase): readonly TableProblem[] {
  return Object.keys(tables).flatMap((id) => {
    const compiled = compileProfile(tables, id, base);
    return 'problem' in compiled ? [compiled.problem] : [];
  });
}

/** A relative root would allow different things in different folders. */
function relativeRoots(tables: ProfileTables): readonly TableProblem[] {
  return Object.entries(tables).flatMap(([id, table]) =>
    Object.keys(objectAt(table, 'workspace_roots') ?? {})
      .filter((root) => !/^[/~]/.test(root))
      .map((root) =>
        wrongValue(['permissions', id, 'workspace_roots', root], 'must be absolute here', 'Write the whole path.'),
      ),
  );
}

function allowedProfiles(file: ConfigLayer, tables: ProfileTables, base: CompileBase) {
  const given = file.values[allowedKey];
  const fallback = stringAt(file.values, defaultKey);
  if (given === undefined) {
    const what = `has no effect without ${allowedKey}`;
    const next = `List the profiles that may be chosen under ${allowedKey}.`;
    return { problems: fallback === undefined ? [] : [tableWarning([defaultKey], what, next)] };
  }
  const problems: TableProblem[] = [];
  const allowed: NamedProfile[] = [];
  for (const [id, isAllowed = null] of Object.entries(isJsonObject(given) ? given : {})) {
    const path = [allowedKey, id];
    if (typeof isAllowed !== 'boolean') problems.push(wrongType(path, 'true or false', isAllowed));
    if (isAllowed !== true) continue;
    const compiled = compileProfile(tables, id, base);
    // A user's own profile may mean anything.
    if ('problem' in compiled) problems.push({ ...compiled.problem, path });
    else allowed.push({ id, profile: compiled.profile });
  }
  const has = (id: string): boolean => allowed.some((profile) => profile.id === id);
  const id = fallback ?? (has(':workspace') && has(':read-only') ? ':workspace' : undefined);
  const instead = allowed.find((profile) => profile.id === id);
  if (instead === undefined && problems.length === 0) {
    const what = id === undefined ? `needs ${defaultKey} beside it` : `does not contain ${defaultKey} ("${id}")`;
    problems.push(wrongValue([allowedKey], what, `Set ${defaultKey} to one of the profiles that are allowed.`));
  }
  const [first, ...others] = allowed;
  if (instead === undefined || first === undefined) return { problems };
  const source = keySource(file, [allowedKey]);
  const rule: AllowedProfiles = { allowed: [first, ...others], instead, source, key: allowedKey };
  return { allowed: rule, problems };
}
