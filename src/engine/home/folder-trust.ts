import { configInFolder } from '../../adapters/gather/config/config-in-folder.ts';
import { editUserConfig, userConfigValue } from '../../adapters/gather/config/edit-user-config.ts';
import {
  projectParts,
  type SettingNeedingTrust,
  settingsNeedingTrust,
} from '../../adapters/gather/config/project-parts.ts';
import {
  findTrust,
  type PartDigests,
  partDigests,
  recordAgreedParts,
} from '../../adapters/gather/config/project-trust.ts';
import { projectFolders, type ProjectPart } from '../../adapters/gather/files/project-folders.ts';
import { findRepository } from '../../adapters/gather/git/repository.ts';
import { findHookPlaces } from '../../adapters/gather/hook-and-skill-places.ts';
import { defined } from '../../base/objects.ts';
import { featureGates, isGateOpen } from '../../core/config/features.ts';
import type { Trust } from '../../core/config/project-trust.ts';
import { isJsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { EngineParts } from '../engine-parts.ts';

export interface FolderTrust {
  readonly trust: Trust;
  /** The folder a decision is saved for: the root of the repository, else of the project. */
  readonly root: string;
  readonly file: string;
  /** The parts of the project that count only with trust. */
  readonly parts: readonly ProjectPart[];
  /** Requests of its configuration while the user has not decided. */
  readonly wishes: readonly SettingNeedingTrust[];
  /** A path that commands under Landlock may have changed since the user trusted the project. */
  readonly changed?: ProjectPart['path'];
  /** A decision does not help: the path cannot be compared later, or a process may change it at any moment. */
  readonly isUndecidable?: true;
  /** The parts when this was made: a yes applies to these only. */
  readonly seen: PartDigests;
  /** True if trust decides whether commands may write, because no file or flag does. */
  readonly decidesSandbox: boolean;
}

type TrustParts = Pick<EngineParts, 'base' | 'home' | 'locks' | 'clock'>;

export async function folderTrust({ base }: TrustParts, folder: string): Promise<FolderTrust> {
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
  decision: Exclude<Trust, 'unknown'>,
): Promise<Outcome | undefined> {
  const path = ['projects', root];
  const known = await userConfigValue(parts, path);
  const failed = await editUserConfig(parts, path, { ...(isJsonObject(known) ? known : {}), trust_level: decision });
  if (failed === undefined && decision === 'trusted') recordAgreedParts(parts.home, seen);
  return failed;
}

/** Hooks of a folder that need a decision: new ones, and those changed since they were trusted. */
export async function idleHooks(parts: Pick<EngineParts, 'base' | 'options'>, folder: string) {
  return (await hooksInForce(parts, folder)).filter(({ trust }) => trust === 'untrusted' || trust === 'modified');
}

/** All hooks of a folder as this engine runs them: decisions made after it was loaded count for the next one. */
export async function hooksInForce({ base, options }: Pick<EngineParts, 'base' | 'options'>, folder: string) {
  const { config, layers } = await configInFolder(base, folder);
  const places = findHookPlaces(base, layers, folder, options);
  if (places === undefined || !isGateOpen('hooks', featureGates(config.features ?? {}))) return [];
  const { loadHooks } = await import('../../adapters/hooks/load-hooks.ts');
  return (await loadHooks(places)).hooks;
}
