import { isJsonObject, type JsonObject } from '../../../protocol/json.ts';
import type { FileSystemEntry, PathPattern, PermissionProfile, SandboxMode } from '../../../protocol/permissions.ts';
import { normalisePath } from '../paths/absolute-paths.ts';

/** True if a value has the shape of an entry. Other programs write profiles too, and none may be read in part. */
export function isValidEntry(entry: unknown): entry is FileSystemEntry {
  if (!isJsonObject(entry) || !isJsonObject(entry['path'])) return false;
  const { access, path } = entry;
  if (access !== 'read' && access !== 'write' && access !== 'deny') return false;
  if (path['type'] === 'path') return typeof path['path'] === 'string';
  if (path['type'] === 'glob_pattern') return typeof path['pattern'] === 'string';
  if (path['type'] !== 'special' || !isJsonObject(path['value'])) return false;
  const { kind, subpath } = path['value'];
  return typeof kind === 'string' && (subpath === undefined || typeof subpath === 'string');
}

/** Undefined if the profile does not restrict files. */
export const restrictedFileSystem = (profile: PermissionProfile) =>
  profile.type === 'managed' && profile.file_system.type === 'restricted' ? profile.file_system : undefined;

/** The profile's writable patterns. An entry of a foreign shape grants nothing. */
export const writablePatterns = (profile: PermissionProfile): readonly PathPattern[] =>
  (restrictedFileSystem(profile)?.entries ?? []).flatMap((entry) =>
    isValidEntry(entry) && entry.access === 'write' ? [entry.path] : [],
  );

/** Folders that a profile names as writable, as spelled. Workspace and temporary folders have no names in it. */
export const grantedFolders = (profile: PermissionProfile): readonly string[] =>
  writablePatterns(profile).flatMap((pattern) => (pattern.type === 'path' ? [pattern.path] : []));
export type SandboxLevel = SandboxMode | 'external-sandbox';

export const isUnsandboxed = (width: SandboxLevel): boolean =>
  width === 'danger-full-access' || width === 'external-sandbox';

export function profileSandboxLevel(profile: PermissionProfile): SandboxLevel {
  if (profile.type === 'external') return 'external-sandbox';
  if (profile.type === 'disabled' || profile.file_system.type === 'unrestricted') return 'danger-full-access';
  const written = writablePatterns(profile);
  if (written.some(isWholeDisk)) return 'danger-full-access';
  return written.length > 0 ? 'workspace-write' : 'read-only';
}

function isWholeDisk(pattern: PathPattern): boolean {
  if (pattern.type === 'path') return normalisePath(pattern.path) === '/';
  return pattern.type === 'special' && pattern.value.kind === 'root';
}

/** An unknown key or a value of the wrong type. `at`: the way to it; empty: the value itself. */
export type WrongProfileValue =
  | { readonly wrong: 'key'; readonly at: string; readonly key: string; readonly known: readonly string[] }
  | {
      readonly wrong: 'value';
      readonly at: string;
      readonly expected: string;
      readonly given: unknown;
      readonly why?: string;
    };

export const isWrongValue = (value: unknown): value is WrongProfileValue =>
  isJsonObject(value) && (value['wrong'] === 'key' || value['wrong'] === 'value') && 'at' in value;

/** `expected`: worded to follow "must be". */
export const wrongProfileValue = (at: string, expected: string, given: unknown): WrongProfileValue => ({
  wrong: 'value',
  at,
  expected,
  given,
});

/** Every key must be known: a silently dropped one may be a restriction with a typo. */
export function unknownKeyIn(value: JsonObject, at: string, known: readonly string[]): WrongProfileValue | undefined {
  const key = Object.keys(value).find((name) => !known.includes(name));
  return key === undefined ? undefined : { wrong: 'key', at, key, known };
}

export function memberPath(at: string, key: string | number): string {
  if (typeof key === 'number') return `${at}[${key}]`;
  return at === '' ? key : `${at}.${key}`;
}
