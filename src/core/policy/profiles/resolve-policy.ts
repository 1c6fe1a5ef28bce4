import { defined } from '../../../base/objects.ts';
import type {
  FileSystemEntry,
  FileSystemRules,
  PathRule,
  PermissionProfile,
  ResolvedPolicy,
  SpecialPath,
} from '../../../protocol/permissions.ts';
import { joinInside, joinPath, normalisePath } from '../paths/absolute-paths.ts';
import { accessByRules, innermostRule, type RestrictedFiles } from '../paths/access.ts';
import { escapeGlob, parseGlob } from '../paths/glob.ts';
import {
  protectedNamesAtAnyDepth,
  protectedNames,
  temporaryFolders,
  withoutOwnPlaces,
} from '../paths/special-places.ts';
import type { PermissionPlaces } from '../paths/special-places.ts';
import { fitToLandlock } from './landlock-policy.ts';
import { isValidEntry } from './profile-entries.ts';

type RestrictedRules = Extract<FileSystemRules, { type: 'restricted' }>;
/** Matches every path: replaces a deny that cannot be parsed. */
const denyEverything = '/**';

/**
 * Replaces a profile's symbols by paths and adds default protection: protected names are read-only and cannot be
 * created below writable paths unless an entry names exactly that path, and `.git` at any depth outside temporary
 * folders. Malformed entries fail closed: a grant grants nothing, anything else denies everything. A nonexistent path
 * is not writable by its own entry, because a sandbox cannot open it and a patch must not differ from a command. A
 * fully writable disk is `unrestricted`, without protection. The engine's own places are removed last.
 */
export function resolvePolicy(profile: PermissionProfile, places: PermissionPlaces): ResolvedPolicy {
  switch (profile.type) {
    case 'managed': {
      const { network, capstan_network: details } = profile;
      return { enforcement: 'managed', ...resolveFiles(profile.file_system, places), network, ...details };
    }
    case 'disabled':
      return { enforcement: 'disabled', files: { kind: 'unrestricted' }, network: 'enabled' };
    case 'external':
      return { enforcement: 'external', files: { kind: 'unrestricted' }, network: profile.network };
  }
}

/** Paths that a profile's entries make writable, unless the whole disk is. Some may be revoked. */
export function grantedToWrite(profile: PermissionProfile, places: PermissionPlaces): readonly string[] {
  if (profile.type !== 'managed' || profile.file_system.type === 'unrestricted') return [];
  const { explicit, denyGlobs } = expandRules(profile.file_system, places);
  if (denyGlobs.size === 0 && writesWholeDisk(explicit)) return [];
  const { granted } = withoutMissingRoots(explicit, places);
  return granted.filter(({ access }) => access === 'write').map(({ path }) => path);
}

/** The newest result. A turn repeats its thread's first query, and values are cached per policy object. */
let last: { readonly given: string; readonly resolved: FilesOnly } | undefined;
type FilesOnly = Pick<ResolvedPolicy, 'files' | 'landlock'>;

function resolveFiles(rules: FileSystemRules, places: PermissionPlaces): FilesOnly {
  if (rules.type === 'unrestricted') return openFiles(places);
  const given = JSON.stringify([rules, places]);
  if (last?.given !== given) last = { given, resolved: resolveRestricted(rules, places) };
  return last.resolved;
}

function openFiles({ landlock }: PermissionPlaces): FilesOnly {
  const nothing = { unprotected: [], unprotectedNames: [], closedRoots: [] };
  return { files: { kind: 'unrestricted' }, ...(landlock && { landlock: nothing }) };
}

function resolveRestricted(given: RestrictedRules, places: PermissionPlaces): FilesOnly {
  const { explicit, reopened, kept, denyGlobs, platformDefaults } = expandRules(given, places);
  if (denyGlobs.size === 0 && writesWholeDisk(explicit)) return openFiles(places);
  const { granted, missingRoots } = withoutMissingRoots(explicit, places);
  const context = { reopened, kept, hasGlobs: denyGlobs.size > 0, real: places.real };
  const rules = withoutOwnPlaces(protect(granted, places), places.own, context);
  const files: RestrictedFiles = {
    kind: 'restricted',
    rules: rules.map((rule) => placed(rule, places)),
    denyGlobs: [...denyGlobs].toSorted(),
    ...(denyGlobs.size === 0 ? {} : defined({ globDepth: given.glob_scan_max_depth })),
    platformDefaults,
    ...(missingRoots.length === 0 ? {} : { missingRoots }),
    guards: guardsIn(places),
  };
  if (places.landlock !== true) return { files };
  const chosen = new Set(explicit.map(({ path }) => path).filter((path) => !isProtectedName(path)));
  const temporary = temporaryFolders({ TMPDIR: places.temporaryDirectory }).map(normalisePath);
  const { files: fitted, limits } = fitToLandlock(files, {
    isGuard: ({ path }) => !chosen.has(path),
    isTemporary: (path) => temporary.includes(path),
  });
  return { files: fitted, landlock: limits };
}

/** Shared profiles list these names for default protection. */
const isProtectedName = (path: string): boolean => protectedNames.includes(path.slice(path.lastIndexOf('/') + 1));

function expandRules(rules: RestrictedRules, places: PermissionPlaces) {
  const explicit: PathRule[] = [];
  const reopened = { toRead: new Set<string>(), toWrite: new Set<string>() };
  const kept = new Set<string>();
  const denyGlobs = new Set<string>();
  let platformDefaults = false;
  for (const entry of rules.entries) {
    const expanded = expandEntry(entry, places);
    switch (expanded.kind) {
      case 'paths': {
        const ifMissing = entry.access === 'write' || entry.missing_path_behavior === 'skip' ? 'skip' : 'protect';
        const names = entry.access === 'write' && !isTemporary(entry) ? { keeps: protectedNamesAtAnyDepth } : {};
        explicit.push(...expanded.paths.map((path) => ({ path, access: entry.access, ifMissing, ...names }) as const));
        for (const path of entry.path.type === 'path' ? expanded.paths : []) {
          // Any value, not only `true`, marks an entry that is not the user's own.
          const isOfUser = entry.capstan_keeps_own === undefined;
          if (!isOfUser) kept.add(path);
          if (isOfUser && entry.access !== 'deny') reopened.toRead.add(path);
          if (isOfUser && entry.access === 'write') reopened.toWrite.add(path);
        }
        break;
      }
      case 'globs':
        for (const glob of expanded.globs) denyGlobs.add(glob);
        break;
      case 'platform':
        platformDefaults ||= entry.access !== 'deny';
        break;
      case 'malformed':
        if (entry?.access !== 'read' && entry?.access !== 'write') denyGlobs.add(denyEverything);
        break;
      case 'nothing':
        break;
      default:
        expanded satisfies never;
    }
  }
  return { explicit, reopened, kept, denyGlobs, platformDefaults };
}

/** Protection that would apply if disk and workspace were writable. Unreadable paths need none. */
function guardsIn(places: PermissionPlaces): readonly PathRule[] {
  const roots = ['/', ...places.workspaceRoots.map(normalisePath).filter((path) => path !== undefined)];
  const written = roots.map((path): PathRule => ({ path, access: 'write', ifMissing: 'skip' }));
  const own = { ...places.own, secrets: [], stores: [] };
  const reopened = { toRead: new Set<string>(), toWrite: new Set<string>() };
  const rules = withoutOwnPlaces(protect(written, places), own, { reopened, hasGlobs: false });
  return rules.filter(({ access }) => access !== 'write');
}

/**
 * A missing root inside another writable one can be created there: the outer root grants it, and no rule is below it,
 * because a sandbox cannot keep names in a nonexistent folder. Any other is lost.
 */
function withoutMissingRoots(rules: readonly PathRule[], places: PermissionPlaces) {
  const { missing = [] } = places;
  if (missing.length === 0) return { granted: rules, missingRoots: [] };
  const absent = new Set(missing.map(normalisePath));
  const isAbsent = ({ path, access }: PathRule) => access === 'write' && absent.has(path);
  const roots = new Set(rules.filter(isAbsent).map((rule) => rule.path));
  const guards = new Set([...roots].flatMap((path) => protectedNames.map((name) => joinPath(path, name))));
  const isGuard = ({ path, access, ifMissing }: PathRule) =>
    access === 'read' && ifMissing === 'skip' && guards.has(path);
  const granted = rules.filter((rule) => !isAbsent(rule) && !isGuard(rule));
  const guarded = protect(granted, places);
  return { granted, missingRoots: [...roots].filter((path) => accessByRules(guarded, path) !== 'write').toSorted() };
}

function placed(rule: PathRule, { real }: PermissionPlaces): PathRule {
  const place = rule.access === 'write' ? real?.[rule.path] : undefined;
  return place === undefined ? rule : { ...rule, place };
}

const isTemporary = ({ path }: FileSystemEntry): boolean =>
  path.type === 'special' && (path.value.kind === 'tmpdir' || path.value.kind === 'slash_tmp');
const writesWholeDisk = (rules: readonly PathRule[]): boolean =>
  [{ path: '/' }, ...rules].every(({ path }) => accessByRules(rules, path) === 'write');

function protect(explicit: readonly PathRule[], places: PermissionPlaces): readonly PathRule[] {
  const writable = explicit.filter((rule) => accessByRules(explicit, rule.path) === 'write');
  const guarded = new Set(writable.flatMap(({ path }) => protectedNames.map((name) => joinPath(path, name))));
  const named = new Set(explicit.map((rule) => rule.path));
  const rules: PathRule[] = [
    // Shared profiles mark the protected names as "skip" for systems that must create them first; ours need not.
    ...explicit.map((rule) => (guarded.has(rule.path) && rule.access !== 'write' ? kept(rule) : rule)),
    ...[...guarded].filter((path) => !named.has(path)).map((path) => kept({ path, access: 'read' })),
  ];
  const narrow = (path: string | undefined, ifMissing: PathRule['ifMissing']): void => {
    // Only ever narrows: a pointer file must not grant reading.
    if (path === undefined || named.has(path) || innermostRule(rules, path)?.access !== 'write') return;
    rules.push({ path, access: 'read', ifMissing });
  };
  for (const path of [...places.gitDirectories, ...(places.gitIncludes ?? [])]) narrow(normalisePath(path), 'skip');
  for (const folder of places.absentSubmodules ?? []) narrow(normalisePath(folder), 'protect');
  for (const repository of [...(places.repositories ?? []), ...(places.submodules ?? [])])
    for (const name of protectedNames) narrow(normalisePath(joinPath(repository, name)), 'protect');
  for (const root of places.workspaceRoots.map(normalisePath))
    for (const name of places.gitNames ?? []) narrow(root && joinPath(root, name), 'protect');
  return rules;
}

const kept = (rule: Pick<PathRule, 'path' | 'access'>): PathRule => ({ ...rule, ifMissing: 'protect' });
/** Other programs write this before a glob that applies to every workspace root. */
export const workspaceGlobPrefix = 'codex-project-roots://';

/** `nothing`: a clear meaning without a target, as for an unset temporary folder. `malformed`: no clear meaning. */
type ExpandedEntry =
  | { readonly kind: 'paths'; readonly paths: readonly string[] }
  | { readonly kind: 'globs'; readonly globs: readonly string[] }
  | { readonly kind: 'platform' | 'nothing' | 'malformed' };

const malformed: ExpandedEntry = { kind: 'malformed' };
const nothing: ExpandedEntry = { kind: 'nothing' };

function expandEntry(entry: FileSystemEntry, places: PermissionPlaces): ExpandedEntry {
  if (!isValidEntry(entry)) return malformed;
  const pattern = entry.path;
  switch (pattern.type) {
    case 'path':
      return toPaths([normalisePath(pattern.path)]);
    case 'glob_pattern':
      return entry.access === 'deny' ? toGlobs(pattern.pattern, places) : malformed;
    case 'special':
      return expandSpecial(pattern.value, places);
  }
}

const rootsOf = (places: PermissionPlaces): readonly string[] =>
  places.workspaceRoots.length > 0 ? places.workspaceRoots : [places.cwd];

function expandSpecial(special: SpecialPath, places: PermissionPlaces): ExpandedEntry {
  switch (special.kind) {
    case 'root':
      return toPaths(['/']);
    case 'minimal':
      return { kind: 'platform' };
    case 'project_roots': {
      const roots = rootsOf(places).map(normalisePath);
      return toPaths(roots.map((root) => root && joinInside(root, special.subpath ?? '')));
    }
    case 'tmpdir': {
      // The whole disk is no temporary folder: a variable that says so must not open it.
      const path = normalisePath(places.temporaryDirectory || '/');
      return path === '/' ? nothing : toPaths([path]);
    }
    case 'slash_tmp':
      return places.slashTmp ? toPaths(['/tmp']) : nothing;
    case 'unknown':
      return malformed;
    default:
      // Other programs may write further kinds.
      special satisfies never;
      return malformed;
  }
}

function toPaths(candidates: readonly (string | undefined)[]): ExpandedEntry {
  const paths = candidates.filter((path) => path !== undefined);
  return paths.length === candidates.length ? { kind: 'paths', paths } : malformed;
}

function toGlobs(pattern: string, places: PermissionPlaces): ExpandedEntry {
  const symbolic = pattern.startsWith(workspaceGlobPrefix);
  const relative = symbolic ? pattern.slice(workspaceGlobPrefix.length).replace(/^\/+/, '') : pattern;
  const folders = (symbolic ? rootsOf(places) : [places.cwd]).map(normalisePath);
  const below = (folder: string | undefined) =>
    folder === undefined ? relative : joinPath(escapeGlob(folder), relative);
  const globs = relative.startsWith('/') ? [relative] : folders.map(below);
  // `..` has no meaning inside a pattern: the components before it may be wildcards.
  const sound = globs.every((glob) => parseGlob(glob) !== undefined && !glob.split('/').includes('..'));
  return sound ? { kind: 'globs', globs } : malformed;
}
