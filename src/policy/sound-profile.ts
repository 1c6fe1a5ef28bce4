import { arrayAt, isJsonObject, type JsonObject, objectAt } from '../protocol/json.ts';
import type {
  FileSystemEntry,
  FileSystemRules,
  NetworkAccess,
  PathPattern,
  PermissionProfile,
  SandboxPolicy,
} from '../protocol/permission-profile.ts';
import { normalisePath } from './paths.ts';
import { isSoundEntry } from './sound-entry.ts';

/** The value as a profile of its own, without what no profile has; undefined when it is none, or has a part that is none. */
export function soundProfile(value: unknown): PermissionProfile | undefined {
  if (!isJsonObject(value)) return undefined;
  const { network } = value;
  if (value['type'] === 'disabled') return { type: 'disabled' };
  if (!isNetwork(network)) return undefined;
  if (value['type'] === 'external') return { type: 'external', network };
  const rules = objectAt(value, 'file_system');
  const sound = value['type'] !== 'managed' || rules === undefined ? undefined : soundRules(rules);
  return sound === undefined ? undefined : { type: 'managed', file_system: sound, network };
}

function soundRules(rules: JsonObject): FileSystemRules | undefined {
  if (rules['type'] === 'unrestricted') return { type: 'unrestricted' };
  const entries = arrayAt(rules, 'entries');
  const depth = rules['glob_scan_max_depth'];
  if (rules['type'] !== 'restricted' || entries === undefined) return undefined;
  if (depth !== undefined && !(typeof depth === 'number' && Number.isSafeInteger(depth) && depth >= 0))
    return undefined;
  const sound = entries.flatMap((entry) => soundEntry(entry) ?? []);
  if (sound.length < entries.length) return undefined;
  return { type: 'restricted', entries: sound, ...(depth === undefined ? {} : { glob_scan_max_depth: depth }) };
}

function soundEntry(entry: unknown): FileSystemEntry | undefined {
  if (!isSoundEntry(entry)) return undefined;
  const { missing_path_behavior: missing } = entry;
  if (missing !== undefined && missing !== 'skip') return undefined;
  return {
    path: copyOf(entry.path),
    access: entry.access,
    ...(missing === undefined ? {} : { missing_path_behavior: missing }),
  };
}

function copyOf(pattern: PathPattern): PathPattern {
  switch (pattern.type) {
    case 'path':
      return { type: 'path', path: pattern.path };
    case 'glob_pattern':
      return { type: 'glob_pattern', pattern: pattern.pattern };
    case 'special':
      return { type: 'special', value: { ...pattern.value } };
  }
}

/** The same for the coarser form. Roots must be absolute. */
export function soundSandboxPolicy(value: unknown): SandboxPolicy | undefined {
  if (!isJsonObject(value)) return undefined;
  const { type, network_access: network } = value;
  if (type === 'danger-full-access') return { type };
  if (type === 'external-sandbox') {
    const access = network ?? 'restricted';
    return isNetwork(access) ? { type, network_access: access } : undefined;
  }
  if (network !== undefined && typeof network !== 'boolean') return undefined;
  if (type === 'read-only') return { type, ...(network === undefined ? {} : { network_access: network }) };
  if (type !== 'workspace-write') return undefined;
  const {
    writable_roots: roots = [],
    exclude_tmpdir_env_var: tmpdir = false,
    exclude_slash_tmp: slash = false,
  } = value;
  if (!isPathList(roots) || typeof tmpdir !== 'boolean' || typeof slash !== 'boolean') return undefined;
  return {
    type,
    writable_roots: [...roots],
    network_access: network ?? false,
    exclude_tmpdir_env_var: tmpdir,
    exclude_slash_tmp: slash,
  };
}

function isNetwork(value: unknown): value is NetworkAccess {
  return value === 'restricted' || value === 'enabled';
}

function isPathList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((path) => typeof path === 'string' && normalisePath(path) !== undefined);
}
