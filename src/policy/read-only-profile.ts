import type { FileSystemRules, PermissionProfile } from '../protocol/permission-profile.ts';

const readAll: FileSystemRules = {
  type: 'restricted',
  entries: [{ path: { type: 'special', value: { kind: 'root' } }, access: 'read' }],
};

/** The same profile without a place to write: what it denies stays denied, and the network is as it was. */
export function readOnlyProfile(profile: PermissionProfile): Extract<PermissionProfile, { type: 'managed' }> {
  if (profile.type === 'disabled') return { type: 'managed', file_system: readAll, network: 'enabled' };
  if (profile.type === 'external') return { type: 'managed', file_system: readAll, network: profile.network };
  const { file_system: files } = profile;
  if (files.type !== 'restricted') return { ...profile, file_system: readAll };
  if (files.entries.every(({ access }) => access !== 'write')) return profile;
  const entries = files.entries.map((entry) =>
    entry.access === 'write' ? { ...entry, access: 'read' as const } : entry,
  );
  return { ...profile, file_system: { ...files, entries } };
}
