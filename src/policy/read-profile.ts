import { defined } from '../protocol/defined.ts';
import { isJsonObject } from '../protocol/json.ts';
import type {
  Access,
  FileSystemEntry,
  FileSystemRules,
  NetworkAccess,
  PathPattern,
  PermissionProfile,
  SandboxPolicy,
  SpecialPath,
} from '../protocol/permission-profile.ts';
import { workspaceGlobPrefix } from './expand-entry.ts';
import { parseGlob } from './glob.ts';
import { descend, normalisePath } from './paths.ts';
import { isWrong, memberAt, unknownKeyIn, type WrongValue, wrongAt } from './wrong-value.ts';

/**
 * Readers of permissions that a client gives. The value is read whole or not at all, and what is read shares nothing
 * with it. Files of other programs are read elsewhere, and more patiently.
 */

/** Paths must be absolute, and come out in normal form. */
export function readProfile(value: unknown): PermissionProfile | WrongValue {
  if (!isJsonObject(value)) return wrongAt('', 'a permission profile', value);
  switch (value['type']) {
    case 'disabled':
      return unknownKeyIn(value, '', ['type']) ?? { type: 'disabled' };
    case 'external': {
      const network = readNetwork(value['network'], 'network');
      if (isWrong(network)) return network;
      return unknownKeyIn(value, '', ['type', 'network']) ?? { type: 'external', network };
    }
    case 'managed': {
      const unknown = unknownKeyIn(value, '', ['type', 'file_system', 'network']);
      if (unknown !== undefined) return unknown;
      const rules = readRules(value['file_system'], 'file_system');
      if (isWrong(rules)) return rules;
      const network = readNetwork(value['network'], 'network');
      return isWrong(network) ? network : { type: 'managed', file_system: rules, network };
    }
    default:
      return wrongAt('type', oneOf(['managed', 'disabled', 'external']), value['type']);
  }
}

/** The same for the coarser form. */
export function readSandboxPolicy(value: unknown): SandboxPolicy | WrongValue {
  if (!isJsonObject(value)) return wrongAt('', 'a sandbox policy', value);
  const { type, network_access: network } = value;
  switch (type) {
    case 'danger-full-access':
      return unknownKeyIn(value, '', ['type']) ?? { type };
    case 'external-sandbox': {
      const access = network === undefined ? 'restricted' : readNetwork(network, 'network_access');
      if (isWrong(access)) return access;
      return unknownKeyIn(value, '', ['type', 'network_access']) ?? { type, network_access: access };
    }
    case 'read-only':
      return (
        unknownKeyIn(value, '', ['type', 'network_access']) ??
        flagProblem({ network_access: network }) ?? {
          type,
          ...(network === undefined ? {} : { network_access: network as boolean }),
        }
      );
    case 'workspace-write': {
      const { writable_roots: roots = [], exclude_tmpdir_env_var: tmpdir, exclude_slash_tmp: slash } = value;
      const keys = ['type', 'writable_roots', 'network_access', 'exclude_tmpdir_env_var', 'exclude_slash_tmp'];
      const flags = { network_access: network, exclude_tmpdir_env_var: tmpdir, exclude_slash_tmp: slash };
      const problem = unknownKeyIn(value, '', keys) ?? flagProblem(flags);
      if (problem !== undefined) return problem;
      const paths = readAll(roots, 'writable_roots', readPath);
      if (isWrong(paths)) return paths;
      return {
        type,
        writable_roots: paths,
        network_access: network === true,
        exclude_tmpdir_env_var: tmpdir === true,
        exclude_slash_tmp: slash === true,
      };
    }
    default:
      return wrongAt('type', oneOf(['read-only', 'workspace-write', 'danger-full-access', 'external-sandbox']), type);
  }
}

function readRules(value: unknown, at: string): FileSystemRules | WrongValue {
  if (!isJsonObject(value)) return wrongAt(at, 'an object with rules for files', value);
  const { type, glob_scan_max_depth: depth } = value;
  if (type === 'unrestricted') return unknownKeyIn(value, at, ['type']) ?? { type };
  if (type !== 'restricted') return wrongAt(memberAt(at, 'type'), oneOf(['restricted', 'unrestricted']), type);
  const unknown = unknownKeyIn(value, at, ['type', 'entries', 'glob_scan_max_depth']);
  if (unknown !== undefined) return unknown;
  if (depth !== undefined && !(typeof depth === 'number' && Number.isSafeInteger(depth) && depth >= 0))
    return wrongAt(memberAt(at, 'glob_scan_max_depth'), 'a whole number from 0', depth);
  const entries = readAll(value['entries'], memberAt(at, 'entries'), readEntry);
  if (isWrong(entries)) return entries;
  return { type, entries, ...defined({ glob_scan_max_depth: depth }) };
}

function readEntry(value: unknown, at: string): FileSystemEntry | WrongValue {
  if (!isJsonObject(value)) return wrongAt(at, 'an object with path and access', value);
  const { access, missing_path_behavior: missing } = value;
  const unknown = unknownKeyIn(value, at, ['path', 'access', 'missing_path_behavior']);
  if (unknown !== undefined) return unknown;
  if (access !== 'read' && access !== 'write' && access !== 'deny')
    return wrongAt(memberAt(at, 'access'), oneOf(['read', 'write', 'deny']), access);
  if (missing !== undefined && missing !== 'skip')
    return wrongAt(memberAt(at, 'missing_path_behavior'), '"skip"', missing);
  const path = readPattern(value['path'], memberAt(at, 'path'), access);
  if (isWrong(path)) return path;
  return { path, access, ...(missing === undefined ? {} : { missing_path_behavior: missing }) };
}

function readPattern(value: unknown, at: string, access: Access): PathPattern | WrongValue {
  if (!isJsonObject(value)) return wrongAt(at, 'an object with a type', value);
  const { type } = value;
  switch (type) {
    case 'path': {
      const path = readPath(value['path'], memberAt(at, 'path'));
      if (isWrong(path)) return path;
      return unknownKeyIn(value, at, ['type', 'path']) ?? { type, path };
    }
    case 'glob_pattern': {
      const { pattern } = value;
      if (typeof pattern !== 'string' || !isSoundGlob(pattern))
        return wrongAt(memberAt(at, 'pattern'), 'a pattern without ".."', pattern);
      if (access !== 'deny') return wrongAt(at, 'a path: patterns can only deny', value);
      return unknownKeyIn(value, at, ['type', 'pattern']) ?? { type, pattern };
    }
    case 'special': {
      const special = readSpecial(value['value'], memberAt(at, 'value'));
      if (isWrong(special)) return special;
      return unknownKeyIn(value, at, ['type', 'value']) ?? { type, value: special };
    }
    default:
      return wrongAt(memberAt(at, 'type'), oneOf(['path', 'glob_pattern', 'special']), type);
  }
}

function readSpecial(value: unknown, at: string): SpecialPath | WrongValue {
  if (!isJsonObject(value)) return wrongAt(at, 'an object with a kind', value);
  const { kind, subpath, path } = value;
  switch (kind) {
    case 'root':
    case 'minimal':
    case 'tmpdir':
    case 'slash_tmp':
      return unknownKeyIn(value, at, ['kind']) ?? { kind };
    case 'project_roots': {
      const isBelow = typeof subpath === 'string' && descend('/', subpath) !== undefined;
      if (subpath !== undefined && !isBelow)
        return wrongAt(memberAt(at, 'subpath'), 'a path below the workspace, without ".."', subpath);
      return unknownKeyIn(value, at, ['kind', 'subpath']) ?? { kind, ...defined({ subpath }) };
    }
    case 'unknown':
      // Another program's symbol: it is kept, and has no meaning here.
      if (typeof path !== 'string') return wrongAt(memberAt(at, 'path'), 'a string', path);
      if (subpath !== undefined && typeof subpath !== 'string')
        return wrongAt(memberAt(at, 'subpath'), 'a string', subpath);
      return (
        unknownKeyIn(value, at, ['kind', 'path', 'subpath']) ?? {
          kind,
          path,
          ...defined({ subpath }),
        }
      );
    default:
      return wrongAt(memberAt(at, 'kind'), oneOf(['root', 'minimal', 'project_roots', 'tmpdir', 'slash_tmp']), kind);
  }
}

/** Relative ones belong to the working folder, or to every workspace root. */
function isSoundGlob(pattern: string): boolean {
  const own = pattern.startsWith(workspaceGlobPrefix) ? pattern.slice(workspaceGlobPrefix.length) : pattern;
  return parseGlob(`/${own.replace(/^\/+/, '')}`) !== undefined && !own.split('/').includes('..');
}

/** An absolute path in normal form. A relative one would mean another folder in every turn. */
function readPath(value: unknown, at: string): string | WrongValue {
  const path = typeof value === 'string' ? normalisePath(value) : undefined;
  return path ?? wrongAt(at, 'an absolute path', value);
}

function readAll<Value>(
  list: unknown,
  at: string,
  read: (value: unknown, at: string) => Value | WrongValue,
): readonly Value[] | WrongValue {
  if (!Array.isArray(list)) return wrongAt(at, 'a list', list);
  const values: Value[] = [];
  for (const [i, member] of list.entries()) {
    const value = read(member, memberAt(at, i));
    if (isWrong(value)) return value;
    values.push(value);
  }
  return values;
}

function readNetwork(value: unknown, at: string): NetworkAccess | WrongValue {
  return value === 'restricted' || value === 'enabled' ? value : wrongAt(at, oneOf(['restricted', 'enabled']), value);
}

function flagProblem(flags: Readonly<Record<string, unknown>>): WrongValue | undefined {
  const [at, value] = Object.entries(flags).find(([, flag]) => flag !== undefined && typeof flag !== 'boolean') ?? [];
  return at === undefined ? undefined : wrongAt(at, 'true or false', value);
}

function oneOf(words: readonly string[]): string {
  return `one of ${words.map((word) => `"${word}"`).join(', ')}`;
}
