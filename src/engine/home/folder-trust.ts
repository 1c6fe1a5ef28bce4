import { loadTomlFile } from '../../adapters/gather/config/config-file.ts';
import { configInFolder } from '../../adapters/gather/config/config-in-folder.ts';
import { type BaseLayers, isUserFolder, mayExist } from '../../adapters/gather/config/config-layers.ts';
import { editUserConfig, userConfigValue } from '../../adapters/gather/config/edit-user-config.ts';
import { findTrust, partDigests, recordAgreedParts } from '../../adapters/gather/config/project-trust.ts';
import type { PartDigests } from '../../adapters/gather/config/project-trust.ts';
import {
  projectFolderNames,
  projectFolders,
  type ProjectPart,
  projectPartsIn,
  withTrailingSeparator,
} from '../../adapters/gather/files/project-folders.ts';
import { findRepository } from '../../adapters/gather/git/repository.ts';
import { findHookPlaces } from '../../adapters/gather/hook-and-skill-places.ts';
import { defined } from '../../base/objects.ts';
import { featureSwitches, isGateOpen } from '../../core/config/features.ts';
import { rootOnlyKeys, type ProjectTrust, withoutForbiddenKeys } from '../../core/config/project-trust.ts';
import { deniesRead } from '../../core/policy/requirements.ts';
import { isJsonObject, type Json, type JsonObject, valueAt } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { EngineParts } from '../engine-parts.ts';

export interface FolderTrust {
  readonly trust: ProjectTrust;
  /** The folder a decision is saved for: the root of the repository, else of the project. */
  readonly root: string;
  readonly file: string;
  /** The parts of the project that count only with trust. */
  readonly parts: readonly ProjectPart[];
  /** Settings that the project's configuration asks for, while the user has not decided. */
  readonly wishes: readonly SettingNeedingTrust[];
  /** A path that commands under Landlock may have changed since the user trusted the project. */
  readonly changed?: ProjectPart['path'];
  /** A decision does not help: the path cannot be compared later, or a process may change it at any moment. */
  readonly isUndecidable?: true;
  /** Digests of the parts when this was made: the user's yes applies only to parts that still have them. */
  readonly seen: PartDigests;
  /** True if trust decides whether commands may write, because no file or flag does. */
  readonly decidesSandbox: boolean;
}

type TrustParts = Pick<EngineParts, 'base' | 'home' | 'locks' | 'clock'>;

export async function readFolderTrust({ base }: TrustParts, folder: string): Promise<FolderTrust> {
  const { origins } = base.config;
  const owners = projectFolders(folder, base.config.projectRootMarkers);
  const [root = folder] = owners;
  const parts = projectParts(base, folder);
  const decisions = owners.map((owner) => findTrust(owner, base.config, base.home));
  const { changed, writer, isIncomparable } = decisions.find((each) => each.changed !== undefined) ?? {};
  const isUndecidable = isIncomparable === true || writer !== undefined || undefined;
  const trust = changed === undefined ? findTrust(folder, base.config, base.home).trust : 'unknown';
  const seen = owners.map((owner, index) => ({ owner, ...defined({ link: decisions[index]?.link }) }));
  return {
    trust,
    ...defined({ changed, isUndecidable }),
    seen: partDigests(base.home, seen),
    root: findRepository(folder) ?? root,
    file: `${base.home}/config.toml`,
    parts,
    wishes: trust === 'unknown' ? await settingsNeedingTrust(base, folder, parts) : [],
    decidesSandbox: !['sandbox_mode', 'default_permissions'].some((key) => origins.has(key)),
  };
}

/** Saves the decision in the user's own file for engines loaded later. Returns why it could not. */
export async function decideFolderTrust(
  parts: TrustParts,
  { root, seen = {} }: Pick<FolderTrust, 'root'> & Partial<Pick<FolderTrust, 'seen'>>,
  decision: Exclude<ProjectTrust, 'unknown'>,
): Promise<Outcome | undefined> {
  const path = ['projects', root];
  const known = await userConfigValue(parts, path);
  const failed = await editUserConfig(parts, path, { ...(isJsonObject(known) ? known : {}), trust_level: decision });
  if (failed === undefined && decision === 'trusted') recordAgreedParts(parts.home, seen);
  return failed;
}

/** Hooks of a folder that need a decision: new ones, and those changed since they were trusted. */
export const hooksNeedingDecision = async (parts: Pick<EngineParts, 'base' | 'options'>, folder: string) =>
  (await hooksInForce(parts, folder)).filter(({ trust }) => trust === 'untrusted' || trust === 'modified');

/** All hooks of a folder as this engine runs them: decisions made after it was loaded count for the next one. */
export async function hooksInForce({ base, options }: Pick<EngineParts, 'base' | 'options'>, folder: string) {
  const { config, layers } = await configInFolder(base, folder);
  const places = findHookPlaces(base, layers, folder, options);
  if (places === undefined || !isGateOpen('hooks', featureSwitches(config.features ?? {}))) return [];
  const { loadHooks } = await import('../../adapters/hooks/load-hooks.ts');
  return (await loadHooks(places)).hooks;
}

/** A setting of a project that changes what commands may do, or starts programs. Counts only in a trusted project. */
interface SettingNeedingTrust {
  readonly key: string;
  readonly value: string;
  /** Trusting the project lets Capstan start it. */
  readonly isProgram?: true;
}

const unread: SettingNeedingTrust = { key: 'config.toml', value: 'cannot be read' };

/** Lists what the configuration files ask for, without applying it: a stranger may have written them. */
async function settingsNeedingTrust(base: BaseLayers, folder: string, parts: readonly ProjectPart[]) {
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
function projectParts(base: BaseLayers, folder: string): readonly ProjectPart[] {
  const owners = projectFolders(folder, base.config.projectRootMarkers);
  return owners.flatMap((owner) => {
    const layers = projectFolderNames.filter((name) => !isUserFolder(withTrailingSeparator(owner) + name, base));
    const isShared = ({ path }: ProjectPart): boolean => path === `${withTrailingSeparator(owner)}.agents/skills`;
    const parts = projectPartsIn(owner, layers);
    return (owner === base.osHome ? parts.filter((part) => !isShared(part)) : parts).filter(mayExist);
  });
}
