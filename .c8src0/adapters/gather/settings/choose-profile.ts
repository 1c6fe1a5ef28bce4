import type { Config } from '../../../core/config/config.ts';
import { type ProfileOptions, builtInProfile, withWorkspaceRoots } from '../../../core/policy/profiles/profiles.ts';
import { isValidEntry, writablePatterns } from '../../../core/policy/profiles/profile-entries.ts';
import { defined } from '../../../base/objects.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { PathPattern, PermissionProfile, SandboxMode } from '../../../protocol/permissions.ts';

interface ChosenProfile {
  readonly profile: PermissionProfile;
  readonly notices: readonly Outcome<'added-folders-unused'>[];
  /** True if the profile includes the folders that a flag added. */
  readonly added: boolean;
}

/** The thread's earlier profile, else the configured one, which a pinned key may force. Adds the folders of a flag. */
export function choosePermissionProfile(config: Config, had: PermissionProfile | undefined): ChosenProfile {
  const profile = had === undefined || isReplaced(config, had) ? configuredProfile(config) : withPinned(config, had);
  return withAddedRoots(config, profile);
}

/** A flag replaces every profile. The managed file must not widen a thread that only reads. */
function isReplaced({ pinned, namedProfile }: Config, had: PermissionProfile): boolean {
  const named =
    namedProfile === undefined ? undefined : (pinned.get('default_permissions') ?? pinned.get('permissions'));
  const by = named ?? pinned.get('sandbox_mode');
  return by === 'flags' || (by === 'managed' && !isDeepEqual(had, builtInProfile('read-only', noOptions)));
}

/** A profile that a program requests by name or as a whole; folders added by a flag apply only to a mode. */
export function requestedProfile(config: Config, asked: SandboxMode | PermissionProfile): Omit<ChosenProfile, 'added'> {
  return typeof asked === 'string'
    ? withAddedRoots(config, profileForMode(config, asked))
    : { profile: asked, notices: [] };
}

export function configuredProfile(config: Config): PermissionProfile {
  return config.namedProfile?.profile ?? profileForMode(config, config.sandboxMode);
}

export function configuredProfileName(config: Config, profile: PermissionProfile): string | undefined {
  const { namedProfile } = config;
  if (namedProfile === undefined) return undefined;
  return isDeepEqual(withAddedRoots(config, namedProfile.profile).profile, profile) ? namedProfile.id : undefined;
}

export function profileForMode(config: Config, mode: SandboxMode): PermissionProfile {
  const options = configuredOptions(config);
  // The key belongs to workspace-write and applies to no other mode.
  const network = mode === 'workspace-write' && options.network;
  return builtInProfile(mode, { ...options, network });
}

const noOptions: ProfileOptions = { network: false, writableRoots: [], excludeTmpdir: false, excludeSlashTmp: false };

/** Each pinned key of workspace-write changes one option of a thread in that mode. It widens no other profile. */
function withPinned(config: Config, had: PermissionProfile): PermissionProfile {
  const given = configuredOptions(config);
  const ifPinned = <Value>(key: string, value: Value): Value | undefined =>
    config.pinned.has(`sandbox_workspace_write.${key}`) ? value : undefined;
  const pinned = defined({
    network: ifPinned('network_access', given.network),
    writableRoots: ifPinned('writable_roots', given.writableRoots),
    excludeTmpdir: ifPinned('exclude_tmpdir_env_var', given.excludeTmpdir),
    excludeSlashTmp: ifPinned('exclude_slash_tmp', given.excludeSlashTmp),
  });
  const options = Object.keys(pinned).length === 0 ? undefined : workspaceWriteOptions(had);
  if (options === undefined) return had;
  const { keepsOwn, ...others } = options;
  const kept = pinned.writableRoots === undefined ? keepsOwn : given.keepsOwn;
  return builtInProfile('workspace-write', { ...others, ...pinned, ...defined({ keepsOwn: kept }) });
}

function withAddedRoots({ addedRoots, pinned }: Config, profile: PermissionProfile): ChosenProfile {
  if (addedRoots.length === 0 || profile.type === 'disabled') return { profile, notices: [], added: false };
  const options = workspaceWriteOptions(profile);
  if (options === undefined) return withWorkspaces(profile, addedRoots);
  if (pinned.get('sandbox_workspace_write.writable_roots') === 'managed')
    return unused(profile, addedRoots, 'Ask the administrator of this machine.');
  const writableRoots = [...new Set([...options.writableRoots, ...addedRoots])];
  return { profile: builtInProfile('workspace-write', { ...options, writableRoots }), notices: [], added: true };
}

/** Adds the folders as workspaces if the profile's own rules let commands write in one. Else they stay read-only. */
function withWorkspaces(profile: PermissionProfile, roots: readonly string[]): ChosenProfile {
  const isWorkspace = (pattern: PathPattern) => pattern.type === 'special' && pattern.value.kind === 'project_roots';
  const isManaged = profile.type === 'managed' && profile.file_system.type === 'restricted';
  if (!isManaged || !writablePatterns(profile).some(isWorkspace))
    return unused(profile, roots, 'Start with -s workspace-write to write there.');
  const file_system = { ...profile.file_system, entries: withWorkspaceRoots(profile.file_system.entries, roots) };
  return { profile: { ...profile, file_system }, notices: [], added: true };
}

function unused(profile: PermissionProfile, roots: readonly string[], next: string): ChosenProfile {
  const message = `The added folders stay read-only: ${roots.join(', ')}.`;
  return { profile, notices: [{ code: 'added-folders-unused', message, next }], added: false };
}

function configuredOptions({ sandboxWorkspaceWrite: given, rootsKeepOwn: keepsOwn }: Config): ProfileOptions {
  return {
    ...defined({ keepsOwn }),
    network: given.networkAccess,
    writableRoots: given.writableRoots,
    excludeTmpdir: given.excludeTmpdirEnvVar,
    excludeSlashTmp: given.excludeSlashTmp,
  };
}

/** The options that give exactly this profile under workspace-write; undefined if it has rules of its own. */
export function workspaceWriteOptions(profile: PermissionProfile): ProfileOptions | undefined {
  if (profile.type !== 'managed' || profile.file_system.type !== 'restricted') return undefined;
  const { entries } = profile.file_system;
  // The profile may come from a file of another program.
  if (!entries.every(isValidEntry)) return undefined;
  const written = entries.filter(({ access }) => access === 'write').map(({ path }) => path);
  const has = (kind: string): boolean => written.some((path) => path.type === 'special' && path.value.kind === kind);
  const isKeeping = entries.some((entry) => entry.capstan_keeps_own === true);
  const options: ProfileOptions = {
    ...(isKeeping ? { keepsOwn: true } : {}),
    network: profile.network === 'enabled',
    writableRoots: written.filter((path) => path.type === 'path').map(({ path }) => path),
    excludeTmpdir: !has('tmpdir'),
    excludeSlashTmp: !has('slash_tmp'),
  };
  return isDeepEqual(profile, builtInProfile('workspace-write', options)) ? options : undefined;
}

function isDeepEqual(one: PermissionProfile, other: PermissionProfile): boolean {
  return process.getBuiltinModule('node:util').isDeepStrictEqual(one, other);
}
