import type { PermissionProfile } from '../protocol/permission-profile.ts';
import { isSoundEntry } from './sound-entry.ts';

/** The folders that a profile names as writable, as they are spelled. Workspace and temporary folders have no names in it. */
export function grantedFolders(profile: PermissionProfile): readonly string[] {
  if (profile.type !== 'managed' || profile.file_system.type !== 'restricted') return [];
  return profile.file_system.entries.flatMap((entry) =>
    isSoundEntry(entry) && entry.access === 'write' && entry.path.type === 'path' ? [entry.path.path] : [],
  );
}
