import type { PermissionProfile } from '../protocol/permission-profile.ts';
import { profileFor } from './profiles.ts';

const readOnly = profileFor('read-only', {
  network: false,
  writableRoots: [],
  excludeTmpdir: true,
  excludeSlashTmp: true,
});

/** The same profile without a place to write: what it denies stays denied, and the network is as it was. */
export function readOnlyProfile(profile: PermissionProfile): PermissionProfile {
  if (profile.type !== 'managed') return readOnly;
  const { file_system: files } = profile;
  if (files.type !== 'restricted') {
    return readOnly.type === 'managed' ? { ...profile, file_system: readOnly.file_system } : readOnly;
  }
  const entries = files.entries.map((entry) =>
    entry.access === 'write' ? { ...entry, access: 'read' as const } : entry,
  );
  return { ...profile, file_system: { ...files, entries } };
}
