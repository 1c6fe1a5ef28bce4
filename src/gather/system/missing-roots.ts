import { resolvePolicy } from '../../policy/resolve-policy.ts';
import { writtenPatterns } from '../../policy/sound-entry.ts';
import { defined } from '../../protocol/defined.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { PermissionProfile } from '../../protocol/permission-profile.ts';
import { kindOfEntry } from '../../disk/file-system.ts';
import { noOwnPlaces } from '../../policy/own-places.ts';

/** Folders that the profile would let commands write and that do not exist. */
export function missingRoots(profile: PermissionProfile, temporaryDirectory: string | undefined): readonly string[] {
  const written = writtenPatterns(profile).flatMap((pattern) => {
    if (pattern.type === 'path') return [pattern.path];
    const isTemporary = pattern.type === 'special' && pattern.value.kind === 'tmpdir';
    return isTemporary && temporaryDirectory !== undefined ? [temporaryDirectory] : [];
  });
  return [...new Set(written)].filter((path) => path.startsWith('/') && kindOfEntry(path) === 'missing');
}

export type MissingRoot = Outcome<'writable-root-missing'>;

/**
 * What the user should know about them when a thread is opened. One inside another writable root can be created there.
 */
export function missingRootNotices(
  profile: PermissionProfile,
  { cwd, temporaryDirectory }: { readonly cwd: string; readonly temporaryDirectory: string | undefined },
): readonly MissingRoot[] {
  const missing = missingRoots(profile, temporaryDirectory);
  if (missing.length === 0) return [];
  const { files } = resolvePolicy(profile, {
    cwd,
    workspaceRoots: [cwd],
    ...defined({ temporaryDirectory }),
    slashTmp: true,
    gitDirectories: [],
    own: noOwnPlaces,
    missing,
  });
  const lost = files.kind === 'restricted' ? (files.missingRoots ?? []) : [];
  return lost.map((path) => ({
    code: 'writable-root-missing',
    message: `The writable root ${JSON.stringify(path)} does not exist, so commands and patches cannot write there.`,
    next: 'Create the folder, or take it out of the writable roots.',
  }));
}
