import { isJsonObject, type Json, type JsonObject } from '../../../../protocol/json.ts';
import type { FileAccess, FileSystemEntry, PathPattern, SpecialPath } from '../../../../protocol/permissions.ts';
import { joinPath, normalisePath, pathNames } from '../../paths/absolute-paths.ts';
import { escapeGlob, parseGlob } from '../../paths/glob.ts';
import { workspaceGlobPrefix } from '../resolve-policy.ts';
import { profileTableWarning, wrongProfileType, wrongValueInProfile } from './profile-tables.ts';
import type { ProfileTableProblem } from './profile-tables.ts';

type Path = readonly string[];
/** `osHome`: the target of `~`. Without it, such a key is unknown. */
export type TableBase = { readonly osHome?: string };
const depthKey = 'glob_scan_max_depth';
const accessWords: Readonly<Record<string, FileAccess>> = { read: 'read', write: 'write', deny: 'deny', none: 'deny' };

/** The entries of `[permissions.<id>.filesystem]`. A faulty one yields a problem instead. */
export function fileEntries(table: JsonObject, at: Path, base: TableBase) {
  const entries: FileSystemEntry[] = [];
  const problems: ProfileTableProblem[] = [];
  let depth: number | undefined;
  const note = createContradictionCheck(at);
  const add = (result: FileSystemEntry | ProfileTableProblem, where: Path): void => {
    if ('kind' in result) return void problems.push(result);
    entries.push(result);
    const meant = canonicalPattern(result.path);
    if (meant !== undefined) problems.push(...note(meant, where, result.access));
  };
  for (const [key, value = null] of Object.entries(table)) {
    const path = [...at, key];
    if (key === depthKey) {
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) depth = value;
      else problems.push(wrongProfileType(path, 'a whole number of at least 1', value));
      continue;
    }
    const place = placeOf(key, path, base);
    if ('problem' in place) {
      problems.push(place.problem);
      continue;
    }
    if (place.kind === 'unknown') problems.push(unknownToken(path, value));
    if (!isJsonObject(value)) add(entryAt(place, '.', value, path), path);
    for (const [subpath, access = null] of isJsonObject(value) ? Object.entries(value) : []) {
      const where = [...path, subpath];
      add(entryAt(place, subpath, access, where), where);
    }
  }
  return { entries, problems, depth };
}

type Place =
  | { readonly kind: 'path'; readonly path: string }
  /** Absolute, with wildcards. */
  | { readonly kind: 'glob'; readonly pattern: string }
  | { readonly kind: 'special'; readonly special: SpecialPath }
  | { readonly kind: 'workspace' }
  | { readonly kind: 'unknown'; readonly token: string };

const special = (kind: 'root' | 'minimal' | 'tmpdir' | 'slash_tmp'): Place => ({ kind: 'special', special: { kind } });
const specials: Readonly<Record<string, Place>> = {
  ':root': special('root'),
  ':minimal': special('minimal'),
  ':tmpdir': special('tmpdir'),
  ':slash_tmp': special('slash_tmp'),
  ':workspace_roots': { kind: 'workspace' },
  ':project_roots': { kind: 'workspace' },
};

function placeOf(key: string, at: Path, { osHome }: TableBase): Place | { readonly problem: ProfileTableProblem } {
  if (key.startsWith(':')) return (Object.hasOwn(specials, key) && specials[key]) || { kind: 'unknown', token: key };
  const text = expandHome(key, osHome);
  const path = text === undefined ? undefined : normalisePath(text);
  if (text === undefined || path === undefined) {
    const what = 'must be an absolute path, begin with "~/", or be a symbol such as ":workspace_roots"';
    return {
      problem: wrongValueInProfile(at, what, 'Write the whole path, or put the entry below ":workspace_roots".'),
    };
  }
  if (!hasWildcard(text)) return { kind: 'path', path };
  if (!pathNames(text).includes('..') && parseGlob(text) !== undefined) return { kind: 'glob', pattern: text };
  return { problem: wrongValueInProfile(at, 'is not a valid pattern', 'Close every bracket, and write no "..".') };
}

/** `~user` is not supported. */
export function expandHome(text: string, osHome: string | undefined): string | undefined {
  if (text !== '~' && !text.startsWith('~/')) return text;
  return osHome === undefined ? undefined : osHome + text.slice(1);
}

const hasWildcard = (text: string): boolean => /[*?[\]]/.test(text);

function entryAt(place: Place, subpath: string, given: Json, at: Path): FileSystemEntry | ProfileTableProblem {
  const access = typeof given === 'string' && Object.hasOwn(accessWords, given) ? accessWords[given] : undefined;
  if (access === undefined) return wrongProfileType(at, '"read", "write" or "deny"', given);
  if (place.kind === 'glob') {
    if (subpath !== '.') return wrongValueInProfile(at, 'is below a pattern', 'Write one pattern with the whole path.');
    const pattern = patternEntry(place.pattern, access, at, (path) => ({ type: 'path', path }));
    return 'kind' in pattern ? pattern : { path: pattern, access };
  }
  if (place.kind === 'special' && place.special.kind === 'minimal' && access !== 'read')
    return wrongValueInProfile(at, 'can only be "read"', 'To write, name the folder in an entry of its own.');
  if (subpath === '.') return { path: ofPlace(place), access };
  if (place.kind === 'special') {
    const what = 'is below a symbol that has no paths below it';
    return wrongValueInProfile(at, what, 'Write the whole path as an entry of its own.');
  }
  const parts = subpath.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) {
    const what = 'must be a path below its table, without ".", ".." and empty parts';
    return wrongValueInProfile(at, what, 'Write the names that lead to it, or "." for the folder itself.');
  }
  if (!hasWildcard(subpath)) return { path: ofPlace(place, subpath), access };
  if (parseGlob(`/${subpath}`) === undefined)
    return wrongValueInProfile(at, 'is not a valid pattern', 'Close every bracket and brace.');
  const pattern = patternEntry(`/${subpath}`, access, at, (path) => ofPlace(place, path.slice(1)));
  if ('kind' in pattern) return pattern;
  return { path: pattern.type === 'glob_pattern' ? globBelow(place, subpath) : pattern, access };
}

/** A pattern can deny. To grant reading or writing, it must mean everything below one folder. */
function patternEntry(pattern: string, access: FileAccess, at: Path, toSubtree: (path: string) => PathPattern) {
  if (access === 'deny') return { type: 'glob_pattern', pattern } as const;
  const folder = pattern.endsWith('/**') ? pattern.slice(0, -3) : undefined;
  if (folder !== undefined && !hasWildcard(folder)) return toSubtree(folder === '' ? '/' : folder);
  const next = 'Name the folder, or let the pattern end in "/**" and have no other wildcard.';
  return wrongValueInProfile(at, 'is a pattern, and patterns can only deny', next);
}

/** The pattern for the subpath below the place; without a subpath, or with an empty one, for the place itself. */
function ofPlace(place: Exclude<Place, { kind: 'glob' }>, subpath = ''): PathPattern {
  const below = subpath === '' ? {} : { subpath };
  switch (place.kind) {
    case 'path':
      return { type: 'path', path: subpath === '' ? place.path : joinPath(place.path, subpath) };
    case 'special':
      return { type: 'special', value: place.special };
    case 'workspace':
      return { type: 'special', value: { kind: 'project_roots', ...below } };
    case 'unknown':
      return { type: 'special', value: { kind: 'unknown', path: place.token, ...below } };
  }
}

function globBelow(place: Exclude<Place, { kind: 'glob' }>, subpath: string): PathPattern {
  if (place.kind === 'path') return { type: 'glob_pattern', pattern: joinPath(escapeGlob(place.path), subpath) };
  if (place.kind === 'workspace') return { type: 'glob_pattern', pattern: `${workspaceGlobPrefix}${subpath}` };
  return ofPlace(place, subpath);
}

/** An unknown grant is left out with a warning; an unknown deny cannot be enforced. */
function unknownToken(path: Path, value: Json): ProfileTableProblem {
  const accesses = isJsonObject(value) ? Object.values(value) : [value];
  const next = 'Use :root, :minimal, :workspace_roots, :tmpdir, :slash_tmp or a path.';
  if (accesses.every((access) => access === 'read' || access === 'write'))
    return profileTableWarning(path, 'is a symbol that Capstan does not know: it grants nothing', next);
  return wrongValueInProfile(path, 'is a symbol that Capstan does not know, so it cannot be denied', next);
}

/**
 * Checks the keys of the table `at`, whose places and hosts may have several spellings. The returned function records a
 * key's value for its canonical meaning, and returns problems if another spelling had a different value.
 */
export function createContradictionCheck(at: Path) {
  const first = new Map<string, { readonly key: string; readonly said: string | boolean }>();
  return (meant: string, path: Path, said: string | boolean): readonly ProfileTableProblem[] => {
    const known = first.get(meant);
    const names = path.slice(at.length).map((part) => JSON.stringify(part));
    if (known === undefined) first.set(meant, { key: names.join('.'), said });
    if (known === undefined || known.said === said) return [];
    const what = `contradicts ${known.key}, which means the same and says ${JSON.stringify(known.said)}`;
    return [wrongValueInProfile(path, what, 'Keep one of the two.')];
  };
}

/** One text for each place, as far as spelling tells. Undefined: the word is not known here. */
export function canonicalPattern(pattern: PathPattern): string | undefined {
  if (pattern.type === 'path') return pattern.path;
  if (pattern.type === 'glob_pattern') return `glob ${pattern.pattern}`;
  const { value } = pattern;
  switch (value.kind) {
    case 'root':
      return '/';
    case 'slash_tmp':
      return '/tmp';
    case 'project_roots':
      return `workspace/${value.subpath ?? ''}`;
    case 'minimal':
    case 'tmpdir':
      return value.kind;
    default:
      return undefined;
  }
}
