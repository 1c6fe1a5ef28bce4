import { type Defined, defined } from '../../../base/objects.ts';
import { isJsonObject, type JsonObject } from '../../../protocol/json.ts';
import type {
  FileSystemEntry,
  NetworkDetails,
  PermissionProfile,
  ResolvedPolicy,
  SandboxMode,
  SandboxPolicy,
} from '../../../protocol/permissions.ts';
import { normalHostPattern } from '../network/host-lists.ts';
import { joinInside, normalisePath } from '../paths/absolute-paths.ts';
import { accessAt, writablePaths } from '../paths/access.ts';
import { parseGlob } from '../paths/glob.ts';
import { noOwnPlaces, type PermissionPlaces } from '../paths/special-places.ts';
import { builtInProfile } from './profiles.ts';
import { resolvePolicy, workspaceGlobPrefix } from './resolve-policy.ts';
import { isWrongValue, memberPath, unknownKeyIn, wrongProfileValue } from './profile-entries.ts';
import type { WrongProfileValue } from './profile-entries.ts';

/**
 * Readers of permissions from a client. A value is read completely or not at all, and the result shares no objects with
 * it. Files of other programs are read elsewhere, more leniently.
 */
type Reader<Value> = (value: unknown, at: string) => Value | WrongProfileValue;
type Fields = Readonly<Record<string, Reader<unknown>>>;
type AllFields = Readonly<Record<string, Fields>>;
type FieldValues<Some extends Fields> = Defined<{
  readonly [Key in keyof Some]: Exclude<ReturnType<Some[Key]>, WrongProfileValue>;
}>;

/** Reads an object's members and rejects any others, except those in `known`. */
function readMembers<Some extends Fields>(value: JsonObject, at: string, fields: Some, ...known: readonly string[]) {
  const unknown = unknownKeyIn(value, at, [...known, ...Object.keys(fields)]);
  if (unknown !== undefined) return unknown;
  const values: Record<string, unknown> = {};
  for (const [key, read] of Object.entries(fields)) {
    const member = read(value[key], memberPath(at, key));
    if (isWrongValue(member)) return member;
    values[key] = member;
  }
  return defined(values) as FieldValues<Some>;
}

/** An object whose member `tag` determines its other members. */
function tagged<Tag extends string, Cases extends AllFields>(what: string, tag: Tag, cases: Cases) {
  type Tagged = { [Name in keyof Cases]: { readonly [Key in Tag]: Name } & FieldValues<Cases[Name]> }[keyof Cases];
  return (value: unknown, at: string): Tagged | WrongProfileValue => {
    if (!isJsonObject(value)) return wrongProfileValue(at, what, value);
    const name = value[tag];
    const fields = typeof name === 'string' && Object.hasOwn(cases, name) ? cases[name] : undefined;
    const names = Object.keys(cases).filter((known) => known !== 'unknown');
    if (fields === undefined) return wrongProfileValue(memberPath(at, tag), oneOf(names), name);
    const members = readMembers(value, at, fields, tag);
    return isWrongValue(members) ? members : ({ [tag]: name, ...members } as Tagged);
  };
}

function optional<Value, Instead>(read: Reader<Value>, instead: Instead): Reader<Value | Instead> {
  return (value, at) => (value === undefined ? instead : read(value, at));
}

function word<const Word extends string>(...words: readonly Word[]): Reader<Word> {
  return (value, at) => words.find((known) => known === value) ?? wrongProfileValue(at, oneOf(words), value);
}

/** `read` returns undefined for an unexpected text. */
function text<Value extends string>(expected: string, read: (text: string) => Value | undefined): Reader<Value> {
  return (value, at) => (typeof value === 'string' ? read(value) : undefined) ?? wrongProfileValue(at, expected, value);
}

function list<Value>(read: Reader<Value>): Reader<readonly Value[]> {
  return (given, at) => {
    if (!Array.isArray(given)) return wrongProfileValue(at, 'a list', given);
    const values: Value[] = [];
    for (const [i, member] of given.entries()) {
      const value = read(member, memberPath(at, i));
      if (isWrongValue(value)) return value;
      values.push(value);
    }
    return values;
  };
}

const flag = (value: unknown, at: string): boolean | WrongProfileValue =>
  typeof value === 'boolean' ? value : wrongProfileValue(at, 'true or false', value);
const onlyTrue = (value: unknown, at: string): true | WrongProfileValue =>
  value === true ? value : wrongProfileValue(at, 'true', value);

function count(value: unknown, at: string): number | WrongProfileValue {
  const isCount = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
  return isCount ? value : wrongProfileValue(at, 'a whole number of at least 0', value);
}

function oneOf(words: readonly string[]): string {
  const quoted = words.map((known) => `"${known}"`).join(', ');
  return words.length === 1 ? quoted : `one of ${quoted}`;
}

const network = word('restricted', 'enabled');
/** In normal form. A relative path would mean another folder in every turn. */
const absolutePath = text('an absolute path', normalisePath);
const anyText = text('a string', (given) => given);
const subpath = text('a path below the workspace, without ".."', (given) =>
  joinInside('/', given) === undefined ? undefined : given,
);

const special = tagged('an object with a kind', 'kind', {
  root: {},
  minimal: {},
  project_roots: { subpath: optional(subpath, undefined) },
  tmpdir: {},
  slash_tmp: {},
  // Another program's symbol: it is preserved, but has no meaning here.
  unknown: { path: anyText, subpath: optional(anyText, undefined) },
});

const entryFields = {
  path: tagged('an object with a type', 'type', {
    path: { path: absolutePath },
    glob_pattern: { pattern: text('a pattern without ".."', (given) => (isSoundGlob(given) ? given : undefined)) },
    special: { value: special },
  }),
  access: (value: unknown, at: string) => word('read', 'write', 'deny')(value === 'none' ? 'deny' : value, at),
  missing_path_behavior: optional(word('skip'), undefined),
  capstan_keeps_own: optional(onlyTrue, undefined),
};

/** True if the glob has a clear meaning. A relative one belongs to the working folder or to every workspace root. */
function isSoundGlob(pattern: string): boolean {
  const own = pattern.startsWith(workspaceGlobPrefix) ? pattern.slice(workspaceGlobPrefix.length) : pattern;
  return parseGlob(`/${own.replace(/^\/+/, '')}`) !== undefined && !own.split('/').includes('..');
}

function readEntry(value: unknown, at: string): FileSystemEntry | WrongProfileValue {
  if (!isJsonObject(value)) return wrongProfileValue(at, 'an object with path and access', value);
  const entry = readMembers(value, at, entryFields);
  if (isWrongValue(entry) || entry.path.type !== 'glob_pattern' || entry.access === 'deny') return entry;
  return wrongProfileValue(memberPath(at, 'path'), 'a path: patterns can only deny', value['path']);
}

/** An object with these members and no others. */
function object<Some extends Fields>(what: string, fields: Some) {
  return (value: unknown, at: string): FieldValues<Some> | WrongProfileValue =>
    isJsonObject(value) ? readMembers(value, at, fields) : wrongProfileValue(at, what, value);
}

const host = text('a host, "*.host", "**.host" or "*"', normalHostPattern);

const lists = object('an object with lists of hosts', {
  allow: list(host),
  deny: list(host),
  local: flag,
  methods: word('any', 'reading'),
});
const details: Reader<NetworkDetails> = object('an object with lists and sockets', {
  lists: optional(lists, undefined),
  sockets: optional(list(absolutePath), undefined),
});

const profile: Reader<PermissionProfile> = tagged('a permission profile', 'type', {
  managed: {
    file_system: tagged('an object with rules for files', 'type', {
      restricted: { entries: list(readEntry), glob_scan_max_depth: optional(count, undefined) },
      unrestricted: {},
    }),
    network,
    capstan_network: optional(details, undefined),
  },
  disabled: {},
  external: { network },
});

const sandboxPolicy: Reader<SandboxPolicy> = tagged('a sandbox policy', 'type', {
  'read-only': { network_access: optional(flag, undefined) },
  'workspace-write': {
    writable_roots: optional(list(absolutePath), []),
    network_access: optional(flag, false),
    exclude_tmpdir_env_var: optional(flag, false),
    exclude_slash_tmp: optional(flag, false),
  },
  'danger-full-access': {},
  'external-sandbox': { network_access: optional(network, 'restricted' as const) },
});

/** Paths must be absolute, and are returned in normal form. */
export const readProfile = (value: unknown): PermissionProfile | WrongProfileValue => profile(value, '');
export const readNetworkDetails = (value: unknown): NetworkDetails | WrongProfileValue => details(value, '');
export const readSandboxPolicy = (value: unknown): SandboxPolicy | WrongProfileValue => sandboxPolicy(value, '');
export type SandboxSetting = SandboxMode | SandboxPolicy | PermissionProfile;
const modes = ['read-only', 'workspace-write', 'danger-full-access'] as const satisfies readonly SandboxMode[];
/** Worded to follow "must be". */
export const sandboxExpected = `${oneOf(modes)}, a sandbox policy or a permission profile`;

/** The word itself, or a profile equal to the given form. Undefined if it is none of the known forms. */
export function readSandbox(given: unknown): SandboxMode | PermissionProfile | WrongProfileValue | undefined {
  const mode = modes.find((one) => one === given);
  if (mode !== undefined || !isJsonObject(given)) return mode;
  const known: readonly unknown[] = ['managed', 'disabled', 'external'];
  if (known.includes(given['type'])) return profile(given, '');
  const policy = readSandboxPolicy(given);
  return isWrongValue(policy) ? policy : profileFromPolicy(policy);
}

/**
 * The coarser form of a profile, for old readers. It omits denies, limits on reading and carve-outs. A policy that
 * writes elsewhere but not in the working folder becomes `workspace-write` with those roots, which is wrong only about
 * the working folder.
 */
export function sandboxPolicyOf(profile: PermissionProfile, places: PermissionPlaces): SandboxPolicy {
  // Describe the choice itself: ignore that places are missing on this machine now, and Capstan's own places.
  const { missing: _missing, ...symbols } = places;
  const policy = resolvePolicy(profile, { ...symbols, own: noOwnPlaces });
  if (policy.files.kind === 'unrestricted') {
    return policy.network === 'enabled' && policy.enforcement !== 'external'
      ? { type: 'danger-full-access' }
      : { type: 'external-sandbox', network_access: policy.network };
  }
  const network = policy.network === 'enabled';
  const cwd = normalisePath(places.cwd);
  const temporary = normalisePath(places.temporaryDirectory ?? '');
  const roots = writablePaths(policy);
  if (roots.length === 0) return { type: 'read-only', ...(network ? { network_access: true } : {}) };
  // If the working folder is writable, flags represent the temporary folders; otherwise every root is named.
  const implied = roots.some((root) => root === cwd) ? [cwd, temporary, '/tmp'] : [cwd];
  const named = roots.filter((root) => !implied.includes(root));
  return {
    type: 'workspace-write',
    ...(named.length > 0 ? { writable_roots: named } : {}),
    network_access: network,
    exclude_tmpdir_env_var: temporary === undefined || accessAt(policy, temporary) !== 'write',
    exclude_slash_tmp: accessAt(policy, '/tmp') !== 'write',
  };
}

/** The profile of a coarser policy. An unknown form is read-only. */
export function profileFromPolicy(policy: SandboxPolicy): PermissionProfile {
  if (policy.type === 'danger-full-access') return { type: 'disabled' };
  if (policy.type === 'external-sandbox')
    return { type: 'external', network: policy.network_access === 'enabled' ? 'enabled' : 'restricted' };
  const network = policy.network_access === true;
  if (policy.type !== 'workspace-write')
    return builtInProfile('read-only', { network, writableRoots: [], excludeTmpdir: true, excludeSlashTmp: true });
  return builtInProfile('workspace-write', {
    network,
    writableRoots: textsOf(policy.writable_roots),
    excludeTmpdir: policy.exclude_tmpdir_env_var === true,
    excludeSlashTmp: policy.exclude_slash_tmp === true,
  });
}

/** Files of other programs may contain anything anywhere. */
const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((member) => typeof member === 'string') : [];

export function sandboxModeOf(policy: ResolvedPolicy): SandboxMode {
  if (policy.files.kind === 'unrestricted') return 'danger-full-access';
  return writablePaths(policy).length > 0 ? 'workspace-write' : 'read-only';
}
