import type { FileSystemEntry, PathPattern, PermissionProfile } from '../protocol/permission-profile.ts';
import { globCovers } from './glob.ts';
import { isWithin, normalisePath } from './paths.ts';
import type { Requirements } from './requirements.ts';

/**
 * The profile with what must never be read taken out of it. One that restricts nothing becomes one that writes the whole
 * disk but for these: without a sandbox nothing could be kept from commands. Doing it twice changes nothing.
 */
export function withDeniedReads({ denyRead }: Requirements, profile: PermissionProfile): PermissionProfile {
  if (denyRead === undefined || denyRead.patterns.length === 0) return profile;
  const present = entriesOf(profile);
  const known = new Set(present.map((entry) => JSON.stringify(entry)));
  const added = denyRead.patterns.map(denial).filter((entry) => !known.has(JSON.stringify(entry)));
  return withEntries(profile, [...present, ...added]);
}

/** The profile as it was before, so that it can be compared with those that modes give. */
export function withoutDeniedReads({ denyRead }: Requirements, profile: PermissionProfile): PermissionProfile {
  if (denyRead === undefined || profile.type !== 'managed' || profile.file_system.type !== 'restricted') return profile;
  const denials = new Set(denyRead.patterns.map((pattern) => JSON.stringify(denial(pattern))));
  return withEntries(
    profile,
    profile.file_system.entries.filter((entry) => !denials.has(JSON.stringify(entry))),
  );
}

/** Whether the machine's manager forbids reading a path. Asked about its spelling and about where it really leads. */
export function deniesRead({ denyRead }: Requirements, path: string): boolean {
  const target = normalisePath(path);
  if (denyRead === undefined || denyRead.patterns.length === 0) return false;
  if (target === undefined) return true;
  return denyRead.patterns.some((pattern) => {
    const { path: denied } = denial(pattern);
    if (denied.type === 'glob_pattern') return globCovers(denied.pattern, target);
    const folder = denied.type === 'path' ? normalisePath(denied.path) : undefined;
    return folder === undefined || isWithin(target, folder);
  });
}

const wholeDisk: FileSystemEntry = { path: { type: 'special', value: { kind: 'root' } }, access: 'write' };

function entriesOf(profile: PermissionProfile): readonly FileSystemEntry[] {
  if (profile.type !== 'managed' || profile.file_system.type !== 'restricted') return [wholeDisk];
  return profile.file_system.entries;
}

function withEntries(profile: PermissionProfile, entries: readonly FileSystemEntry[]): PermissionProfile {
  if (profile.type === 'managed' && profile.file_system.type === 'restricted') {
    return { ...profile, file_system: { ...profile.file_system, entries } };
  }
  const network = profile.type === 'disabled' ? 'enabled' : profile.network;
  return { type: 'managed', file_system: { type: 'restricted', entries }, network };
}

function denial(pattern: string): FileSystemEntry {
  const path: PathPattern = /[*?[{]/.test(pattern)
    ? { type: 'glob_pattern', pattern }
    : { type: 'path', path: pattern };
  return { path, access: 'deny' };
}
