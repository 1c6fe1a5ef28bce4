import { rootOnlyKeys, withoutForbiddenKeys } from '../../../core/config/project-trust.ts';
import { deniesRead } from '../../../core/policy/requirements.ts';
import { isJsonObject, type Json, type JsonObject, valueAt } from '../../../protocol/json.ts';
import {
  projectFolderNames,
  projectFolders,
  type ProjectPart,
  projectPartsIn,
  withTrailingSeparator,
} from '../files/project-folders.ts';
import { loadTomlFile } from './config-file.ts';
import { type BaseLayers, isUserFolder, mayExist } from './config-layers.ts';

/** A setting of a project that changes what commands may do, or starts programs. Counts only in a trusted project. */
export interface SettingNeedingTrust {
  readonly key: string;
  readonly value: string;
  /** Trusting the project lets Capstan start it. */
  readonly isProgram?: true;
}

const unread: SettingNeedingTrust = { key: 'config.toml', value: 'cannot be read' };

/** Lists what the configuration files ask for, without applying it: a stranger may have written them. */
export async function settingsNeedingTrust(base: BaseLayers, folder: string, parts: readonly ProjectPart[]) {
  const [root = folder] = projectFolders(folder, base.config.projectRootMarkers);
  const denies = (file: string): boolean => deniesRead(base.requirements, file);
  const files = parts.filter(({ kind }) => kind === 'config');
  const wishes = await Promise.all(
    files.map(async ({ path }) => {
      const { layer, problems } = await loadTomlFile('project', path, { denies });
      if (problems.length > 0) return [unread];
      const isRoot = path.startsWith(`${root === '/' ? '' : root}/.`);
      const { values } = withoutForbiddenKeys(isRoot ? layer : { ...layer, belowRoot: true }).layer;
      return [...rootOnlyKeys, ['hooks']].flatMap((key) => wishesAt(values, key));
    }),
  );
  return wishes.flat();
}

function wishesAt(values: JsonObject, path: readonly string[]): readonly SettingNeedingTrust[] {
  const value = valueAt(values, path);
  if (value === undefined) return [];
  const key = path.join('.');
  const isHooks = key === 'hooks' ? ({ isProgram: true } as const) : {};
  if (key !== 'mcp_servers' || !isJsonObject(value)) return [{ key, value: JSON.stringify(value), ...isHooks }];
  return Object.entries(value).map(([name, server]) => {
    const isAddress =
      isJsonObject(server) && typeof server['command'] !== 'string' && typeof server['url'] === 'string';
    return { key: `${key}.${name}`, value: serverWords(server), ...(isAddress ? {} : { isProgram: true }) };
  });
}

/** The program with its variables, which may decide what it runs; or the address. */
function serverWords(server: Json | undefined): string {
  if (!isJsonObject(server)) return JSON.stringify(server);
  const { command, args, url, env } = server;
  const words = [command ?? url, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === 'string');
  const variables = Object.entries(isJsonObject(env) ? env : {}).map(([name, value]) => `${name}=${String(value)}`);
  return words.length === 0 ? JSON.stringify(server) : [...variables, ...words].join(' ');
}

/** Lists what the project around a folder brings. Does not read it: a stranger may have written it. */
export function projectParts(base: BaseLayers, folder: string): readonly ProjectPart[] {
  const owners = projectFolders(folder, base.config.projectRootMarkers);
  return owners.flatMap((owner) => {
    const layers = projectFolderNames.filter((name) => !isUserFolder(withTrailingSeparator(owner) + name, base));
    const isShared = ({ path }: ProjectPart): boolean => path === `${withTrailingSeparator(owner)}.agents/skills`;
    const parts = projectPartsIn(owner, layers);
    return (owner === base.osHome ? parts.filter((part) => !isShared(part)) : parts).filter(mayExist);
  });
}
