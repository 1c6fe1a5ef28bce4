import type { PermissionProfile, SandboxMode, SandboxPolicy } from '../protocol/permission-profile.ts';
import type { ResolvedPolicy } from '../protocol/resolved-policy.ts';
import { access, writablePaths } from './access.ts';
import { normalisePath } from './paths.ts';
import { profileFor } from './profiles.ts';
import { resolvePolicy } from './resolve-policy.ts';
import { type Places } from './places.ts';
import { noOwnPlaces } from './own-places.ts';

/**
 * The profile in the coarser form for old readers. What that form cannot say is left out: denies, limits on reading,
 * carve-outs. A policy that writes elsewhere but not in the working folder comes out as `workspace-write` with those
 * roots, which says too much about the working folder and is right about the rest.
 */
export function sandboxPolicyOf(profile: PermissionProfile, places: Places): SandboxPolicy {
  // What was chosen, and not what is left of it on this machine at this moment.
  const { missing: _missing, ...symbols } = places;
  const policy = resolvePolicy(profile, { ...symbols, own: noOwnPlaces });
  if (policy.files.kind === 'unrestricted') {
    return policy.network === 'enabled' && policy.enforcement !== 'external'
      ? { type: 'danger-full-access' }
      : { type: 'external-sandbox', network_access: policy.network };
  }
  const network = policy.network === 'enabled';
  const cwd = normalisePath(places.cwd);
  const temporary = places.temporaryDirectory === undefined ? undefined : normalisePath(places.temporaryDirectory);
  const roots = writablePaths(policy);
  if (roots.length === 0) return { type: 'read-only', ...(network ? { network_access: true } : {}) };
  // Where the working folder is writable, flags speak for the temporary folders; otherwise every root is named.
  const implied = roots.some((root) => root === cwd) ? [cwd, temporary, '/tmp'] : [cwd];
  const named = roots.filter((root) => !implied.includes(root));
  return {
    type: 'workspace-write',
    ...(named.length > 0 ? { writable_roots: named } : {}),
    network_access: network,
    exclude_tmpdir_env_var: temporary === undefined || access(policy, temporary) !== 'write',
    exclude_slash_tmp: access(policy, '/tmp') !== 'write',
  };
}

/** The profile behind the coarser form. An unknown form may only read. */
export function profileOf(policy: SandboxPolicy): PermissionProfile {
  switch (policy.type) {
    case 'danger-full-access':
      return { type: 'disabled' };
    case 'external-sandbox':
      return { type: 'external', network: policy.network_access === 'enabled' ? 'enabled' : 'restricted' };
    case 'workspace-write':
      return profileFor('workspace-write', {
        network: policy.network_access === true,
        writableRoots: textsOf(policy.writable_roots),
        excludeTmpdir: policy.exclude_tmpdir_env_var === true,
        excludeSlashTmp: policy.exclude_slash_tmp === true,
      });
    default:
      return profileFor('read-only', { ...nothingElse, network: policy.network_access === true });
  }
}

const nothingElse = { writableRoots: [], excludeTmpdir: true, excludeSlashTmp: true };

/** Files of other programs hold anything anywhere. */
function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((member) => typeof member === 'string') : [];
}

/** The word for people and for the prompt. */
export function sandboxModeOf(policy: ResolvedPolicy): SandboxMode {
  if (policy.files.kind === 'unrestricted') return 'danger-full-access';
  return writablePaths(policy).length > 0 ? 'workspace-write' : 'read-only';
}
