import { isJsonObject } from '../protocol/json.ts';
import type { FileSystemEntry } from '../protocol/permission-profile.ts';

/**
 * Whether a value has the shape of an entry. Profiles also come from files that other programs wrote, and an entry of
 * another shape must be noticed rather than read halfway.
 */
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
