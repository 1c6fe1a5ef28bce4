import type { FileSystemEntry, PermissionProfile } from '../protocol/permission-profile.ts';
import { globCovers, literalGlob } from './glob.ts';
import { isWithin, normalisePath } from './paths.ts';
import type { Requirements } from './requirements.ts';

/** The profile without what must never be read; one that restricts nothing gets a sandbox for it. Can be done twice. */
export function withDeniedReads({ denyRead }: Requirements, profile: PermissionProfile): PermissionProfile {
  if (denyRead === undefined || denyRead.patterns.length === 0) return profile;
  const rules = restricted(profile) ?? { type: 'restricted', entries: [wholeDisk] };
  const known = new Set(rules.entries.map((entry) => JSON.stringify(entry)));
  const added = denyRead.patterns.flatMap(denials).filter((entry) => !known.has(JSON.stringify(entry)));
  // A depth that a user chose for other patterns must not limit these.
  const { glob_scan_max_depth: _depth, ...unlimited } = rules;
  const file_system = { ...unlimited, entries: [...rules.entries, ...added] };
  if (profile.type === 'managed') return { ...profile, file_system };
  return { type: 'managed', file_system, network: profile.type === 'disabled' ? 'enabled' : profile.network };
}

/** The profile as it was before, so that it can be compared with those that modes give. */
export function withoutDeniedReads({ denyRead }: Requirements, profile: PermissionProfile): PermissionProfile {
  const rules = restricted(profile);
  if (denyRead === undefined || rules === undefined || profile.type !== 'managed') return profile;
  const denied = new Set(denyRead.patterns.flatMap(denials).map((entry) => JSON.stringify(entry)));
  const entries = rules.entries.filter((entry) => !denied.has(JSON.stringify(entry)));
  return { ...profile, file_system: { ...rules, entries } };
}

/** Whether the machine's manager forbids reading a path. Asked about its spelling and about where it really leads. */
export function deniesRead({ denyRead }: Requirements, path: string): boolean {
  const target = normalisePath(path);
  if (denyRead === undefined || denyRead.patterns.length === 0) return false;
  if (target === undefined) return true;
  return denyRead.patterns.some((pattern) => {
    if (isGlob(pattern)) return globCovers(pattern, target);
    const folder = normalisePath(pattern);
    return folder === undefined || isWithin(target, folder);
  });
}

const wholeDisk: FileSystemEntry = { path: { type: 'special', value: { kind: 'root' } }, access: 'write' };

function restricted(profile: PermissionProfile) {
  return profile.type === 'managed' && profile.file_system.type === 'restricted' ? profile.file_system : undefined;
}

function isGlob(pattern: string): boolean {
  return /[*?[{]/.test(pattern);
}

/** A path is denied as a pattern as well: a profile can open what lies in a denied folder, and nothing that matches one. */
function denials(pattern: string): readonly FileSystemEntry[] {
  const matches: FileSystemEntry = { path: { type: 'glob_pattern', pattern: patternOf(pattern) }, access: 'deny' };
  return isGlob(pattern) ? [matches] : [{ path: { type: 'path', path: pattern }, access: 'deny' }, matches];
}

function patternOf(pattern: string): string {
  return isGlob(pattern) ? pattern : literalGlob(normalisePath(pattern) ?? pattern);
}
