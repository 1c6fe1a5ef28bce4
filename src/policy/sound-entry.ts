import { isJsonObject } from '../protocol/json.ts';
import type { FileSystemEntry, PathPattern, PermissionProfile } from '../protocol/permission-profile.ts';

/** Whether a value has the shape of an entry. Other programs write profiles too, and none is read halfway. */
export function isSoundEntry(entry: unknown): entry is FileSystemEntry {
  if (!isJsonObject(entry) || !isJsonObject(entry['path'])) return false;
  const { access, path } = entry;
  if (access !== 'read' && access !== 'write' && access !== 'deny') return false;
  switch (path['type']) {
    case 'path':
      return typeof path['path'] === 'string';
    case 'glob_pattern':
      return typeof path['pattern'] === 'string';
    case 'special':
      return isJsonObject(path['value']) && isSoundSpecial(path['value']['kind'], path['value']['subpath']);
    default:
      return false;
  }
}

function isSoundSpecial(kind: unknown, subpath: unknown): boolean {
  return typeof kind === 'string' && (subpath === undefined || typeof subpath === 'string');
}

/** What the profile lets be written. An entry of a foreign shape grants nothing. */
export function writtenPatterns(profile: PermissionProfile): readonly PathPattern[] {
  if (profile.type !== 'managed' || profile.file_system.type !== 'restricted') return [];
  const written = profile.file_system.entries.filter((entry) => isSoundEntry(entry) && entry.access === 'write');
  return written.map(({ path }) => path);
}

/** The folders that a profile names as writable, as they are spelled. Workspace and temporary folders have no names in it. */
export function grantedFolders(profile: PermissionProfile): readonly string[] {
  return writtenPatterns(profile).flatMap((pattern) => (pattern.type === 'path' ? [pattern.path] : []));
}
