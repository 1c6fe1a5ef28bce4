import type { Config } from '../config/config.ts';
import { type ProfileOptions, profileFor } from '../policy/profiles.ts';
import { isSoundEntry } from '../policy/sound-entry.ts';
import type { PermissionProfile, SandboxMode } from '../protocol/permission-profile.ts';

/**
 * What commands may touch: what the thread had, where flags say nothing else; for a new thread, what is configured.
 * Until a project can be trusted, commands may only read unless somebody said otherwise.
 */
export function chooseProfile(config: Config, had: PermissionProfile | undefined): PermissionProfile {
  if (had !== undefined && !config.setByFlags.has('sandbox_mode')) return withFlags(config, had);
  const mode: SandboxMode = config.sandboxMode ?? 'read-only';
  const options = configuredOptions(config);
  // The key stands under workspace-write and speaks for no other mode.
  return profileFor(mode, { ...options, network: mode === 'workspace-write' && options.network });
}

const keyOfOption: Readonly<Record<keyof ProfileOptions, string>> = {
  network: 'sandbox_workspace_write.network_access',
  writableRoots: 'sandbox_workspace_write.writable_roots',
  excludeTmpdir: 'sandbox_workspace_write.exclude_tmpdir_env_var',
  excludeSlashTmp: 'sandbox_workspace_write.exclude_slash_tmp',
};

/** Flags for workspace-write change a thread that has it, one option at a time, and widen no other. */
function withFlags(config: Config, had: PermissionProfile): PermissionProfile {
  const flagged = Object.entries(configuredOptions(config)).filter(([option]) =>
    config.setByFlags.has(keyOfOption[option as keyof ProfileOptions]),
  );
  const options = flagged.length === 0 ? undefined : optionsOf(had);
  return options === undefined ? had : profileFor('workspace-write', { ...options, ...Object.fromEntries(flagged) });
}

function configuredOptions({ sandboxWorkspaceWrite: given }: Config): ProfileOptions {
  return {
    network: given.networkAccess,
    writableRoots: given.writableRoots,
    excludeTmpdir: given.excludeTmpdirEnvVar,
    excludeSlashTmp: given.excludeSlashTmp,
  };
}

/**
 * The options that give exactly this profile under workspace-write, or undefined: a profile with rules of its own cannot
 * be built again from options without losing them.
 */
function optionsOf(profile: PermissionProfile): ProfileOptions | undefined {
  if (profile.type !== 'managed' || profile.file_system.type !== 'restricted') return undefined;
  const { entries } = profile.file_system;
  // The profile may come from a file that another program wrote.
  if (!entries.every(isSoundEntry)) return undefined;
  const written = entries.filter(({ access }) => access === 'write').map(({ path }) => path);
  const has = (kind: string): boolean => written.some((path) => path.type === 'special' && path.value.kind === kind);
  const options: ProfileOptions = {
    network: profile.network === 'enabled',
    writableRoots: written.filter((path) => path.type === 'path').map(({ path }) => path),
    excludeTmpdir: !has('tmpdir'),
    excludeSlashTmp: !has('slash_tmp'),
  };
  const { isDeepStrictEqual } = process.getBuiltinModule('node:util');
  return isDeepStrictEqual(profile, profileFor('workspace-write', options)) ? options : undefined;
}
