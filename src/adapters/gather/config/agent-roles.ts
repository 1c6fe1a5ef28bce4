import { isAbsolute, join } from 'node:path';
import { type AgentRole, builtInRoles, readRole, agentRoleSchema } from '../../../core/config/agents.ts';
import { checkConfigValues } from '../../../core/config/keys/check-values.ts';
import { listFolderNames } from '../../disk/file-system.ts';
import type { BoundedReading } from '../../disk/regular-files.ts';
import { defined } from '../../../base/objects.ts';
import { isJsonObject, type Json, type JsonObject, stringAt } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import { type LoadedLayer, loadTomlFile } from './config-file.ts';
import type { BaseLayers } from './config-layers.ts';
import { trustedProjectPaths } from './rules-in-folder.ts';

type RolePlaces = Pick<BoundedReading, 'denies'> & { readonly home: string; readonly projects: readonly string[] };
/** Capstan reads no more files of a folder than this: a person would not write more by hand. */
const mostFiles = 100;

/**
 * Merges built-in roles, tables `[agents.NAME]` and files `agents/*.toml` of the home and of trusted projects, each
 * overriding the one before. A read-only built-in role stays read-only, a project replaces no role, and roles without a
 * description are left out. Built-in roles come first, then the others as found.
 */
export async function loadAgentRoles(agents: Json | undefined, { home, projects, ...rules }: RolePlaces) {
  const roles = new Map<string, AgentRole>(builtInRoles.map((role) => [role.name, role]));
  const problems: Outcome[] = [];
  /** Any problem in a file drops its role: the faulty part may be a restriction. */
  const check = ({ layer, problems: wrong }: LoadedLayer): boolean => {
    const found = [...wrong, ...checkConfigValues(agentRoleSchema, layer, { unknown: 'warning' }).problems];
    problems.push(...found);
    return found.every(({ severity }) => severity === 'warning');
  };
  const add = (name: string, table: JsonObject, source: string): void => {
    const replaced = roles.get(name);
    const description = stringAt(table, 'description')?.trim() ?? replaced?.description ?? '';
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) problems.push(oddRole(source, `the name ${JSON.stringify(name)}`));
    else if (description === '') problems.push(oddRole(source, 'no description'));
    else roles.set(name, { ...readRole(name, table, description), ...defined({ readOnly: replaced?.readOnly }) });
    const mode = stringAt(table, 'sandbox_mode') ?? 'read-only';
    if (mode !== 'read-only') problems.push(openingRole(source, mode));
  };
  const addFile = async (path: string, layerName: 'user' | 'project'): Promise<void> => {
    const loaded = await loadTomlFile(layerName, path, rules);
    if (!check(loaded)) return;
    const { values } = loaded.layer;
    const name = stringAt(values, 'name');
    if (name === undefined) problems.push(...(loaded.problems.length === 0 ? [oddRole(path, 'no name')] : []));
    else if (layerName === 'project' && roles.has(name))
      problems.push(oddRole(path, `the name ${JSON.stringify(name)}, which is taken`));
    else add(name, values, path);
  };
  const referred: string[] = [];
  for (const [name, table] of Object.entries(isJsonObject(agents) ? agents : {})) {
    if (!isJsonObject(table)) continue;
    const file = stringAt(table, 'config_file');
    const path = file === undefined ? undefined : isAbsolute(file) ? file : join(home, file);
    if (path !== undefined) referred.push(path);
    const loaded = path === undefined ? undefined : await loadTomlFile('user', path, rules);
    if (loaded !== undefined && !check(loaded)) continue;
    if (loaded !== undefined && loaded.layer.text === undefined && loaded.problems.length === 0)
      problems.push(missingFile(name, path!));
    const values = { ...table, ...loaded?.layer.values };
    add(stringAt(loaded?.layer.values, 'name') ?? name, values, `agents.${name}`);
  }
  for (const path of roleFiles(join(home, 'agents'))) if (!referred.includes(path)) await addFile(path, 'user');
  for (const path of projects.flatMap(roleFiles)) await addFile(path, 'project');
  return { roles: [...roles.values()], problems };
}

function roleFiles(folder: string): readonly string[] {
  const names = listFolderNames(folder).filter((each) => each.endsWith('.toml'));
  return names
    .toSorted()
    .slice(0, mostFiles)
    .map((each) => join(folder, each));
}

export const projectRoleFolders = (base: BaseLayers, folder: string): readonly string[] =>
  trustedProjectPaths(base, folder, 'agents').map(({ path }) => path);

function oddRole(source: string, what: string): Outcome<'agent-role'> {
  return { code: 'agent-role', message: `The role in ${source} has ${what}, so it is left out.`, next: 'Correct it.' };
}

function openingRole(source: string, mode: string): Outcome<'agent-role'> {
  const message = `The role in ${source} sets sandbox_mode to ${JSON.stringify(mode)}, which has no effect: a role never opens more than its parent has.`;
  return { code: 'agent-role', message, next: 'Write "read-only", or remove the key.' };
}

function missingFile(name: string, path: string): Outcome<'agent-role'> {
  const message = `The config_file of agents.${name} does not exist: ${path}`;
  return { code: 'agent-role', message, next: 'Create it, or remove the key.' };
}
