import { type BoundedReading, readTextIfPossible } from '../../adapters/disk/regular-files.ts';
import { folderAndParents } from '../../adapters/gather/files/project-folders.ts';
import { readLimits } from '../../adapters/gather/files/read-guard.ts';
import { findGitDirectory, findRepository, gitConfigValue } from '../../adapters/gather/git/repository.ts';
import { type CharacterRange, nameMatcher, type NamePatternPart } from '../../base/name-matcher.ts';
import { isWithin } from '../../core/policy/paths/absolute-paths.ts';
import { type ListedFolder, joinFolderPath } from './workspace-disk.ts';
import { dirname, join, resolve } from 'node:path';

export type IgnoreFile = { readonly folder: string; readonly patterns: readonly IgnorePattern[] };

/** All ignore files in force in a folder; the nearest comes last and wins. */
export interface IgnoreRules {
  readonly files: readonly IgnoreFile[];
  /** Equal keys mean equal files, so that earlier decisions about names stay valid. */
  readonly key: string;
  /** Characters of all files together: the cost of checking one path. */
  readonly weight: number;
}

export const nothingIgnored: IgnoreRules = { files: [], key: '', weight: 0 };
/** Limit for all files in force in one folder. A file that exceeds it is left out completely. */
export const mostIgnoreBytes = 256 * 1024;

export function withIgnoreFile(rules: IgnoreRules, folder: string, text: string): IgnoreRules {
  const weight = rules.weight + text.length;
  if (weight > mostIgnoreBytes) return rules;
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const patterns = lines.flatMap((line) => parseIgnorePattern(line) ?? []);
  if (patterns.length === 0) return rules;
  return { files: [...rules.files, { folder, patterns }], key: `${rules.key}\0${folder}\0${text}`, weight };
}

/** Adds the folder's own file, if it has one that may be read. */
export function withOwnIgnoreFile(
  above: IgnoreRules,
  at: string,
  { folder, names }: ListedFolder,
  { excludes }: { excludes(path: string): boolean },
): IgnoreRules {
  if (!names.includes('.gitignore')) return above;
  let bytes: Uint8Array;
  try {
    if (excludes(joinFolderPath(at, '.gitignore'))) return above;
    bytes = folder.read('.gitignore', mostIgnoreBytes);
  } catch {
    return above;
  }
  return withIgnoreFile(above, at, new TextDecoder().decode(bytes));
}

/** Must not be called for paths below an ignored folder, which are always left out. */
export function isIgnored(rules: IgnoreRules, path: string, kind: 'folder' | 'other'): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  for (const { folder, patterns } of rules.files.toReversed()) {
    const inside = path.slice(folder === '/' ? 1 : folder.length + 1);
    const found = patterns.findLast(
      (pattern) => (kind === 'folder' || !pattern.foldersOnly) && pattern.matches(inside, name),
    );
    if (found !== undefined) return !found.negated;
  }
  return false;
}

interface IgnorePattern {
  /** The pattern begins with `!`: a path that matches is not ignored. */
  readonly negated: boolean;
  readonly foldersOnly: boolean;
  /** `path` is relative to the folder of the ignore file, `name` is its last component. */
  matches(path: string, name: string): boolean;
}

/** Longer lines are left out: patterns that users write have a tenth of it. */
const longestLine = 1000;

/** Reads a line as git does. Undefined for a blank line, a comment, or a pattern that can match nothing. */
export function parseIgnorePattern(line: string): IgnorePattern | undefined {
  if (line.length > longestLine) return undefined;
  let text = withoutTrailingSpaces(line);
  if (text.startsWith('#')) return undefined;
  const negated = text.startsWith('!');
  if (negated) text = text.slice(1);
  const foldersOnly = text.endsWith('/');
  if (foldersOnly) text = text.slice(0, -1);
  const anchored = text.includes('/');
  if (text.startsWith('/')) text = text.slice(1);
  const matches = text === '' ? undefined : matcherOf(text, anchored);
  return matches && { negated, foldersOnly, matches };
}

/** Trailing spaces do not count unless escaped by a backslash. */
function withoutTrailingSpaces(line: string): string {
  const kept = line.replace(/ +$/, '');
  const backslashes = /\\*$/.exec(kept)?.[0].length ?? 0;
  return kept.length < line.length && backslashes % 2 === 1 ? `${kept} ` : kept;
}

function matcherOf(text: string, anchored: boolean): IgnorePattern['matches'] | undefined {
  if (!/[*?[\\]/.test(text)) return anchored ? (path) => path === text : (_path, name) => name === text;
  const suffix = /^\*([^*?[\\/]+)$/.exec(text)?.[1];
  if (suffix !== undefined && !anchored) return (_path, name) => name.endsWith(suffix);
  const parts = parseParts(text);
  const matches = parts && nameMatcher(parts);
  return matches && (anchored ? matches : (_path, name) => matches(name));
}

/** Undefined for a pattern that can match nothing. */
function parseParts(text: string): readonly NamePatternPart[] | undefined {
  const parts: NamePatternPart[] = [];
  for (let at = 0; at < text.length;) {
    const rest = text.slice(at);
    const stars = /^\*+/.exec(rest)?.[0] ?? '';
    if (stars !== '') {
      const after = rest.slice(stars.length);
      const whole = stars.length >= 2 && (at === 0 || text[at - 1] === '/') && (after === '' || after.startsWith('/'));
      if (whole) parts.push({ kind: 'folders' });
      // A trailing `**` matches all that is inside, so at least one more component.
      if (!whole || after === '') parts.push({ kind: 'some' });
      at += stars.length + (whole && after !== '' ? 1 : 0);
    } else if (rest.startsWith('?')) {
      parts.push({ kind: 'one' });
      at += 1;
    } else if (rest.startsWith('[')) {
      const found = characterClass(rest);
      if (found === undefined) return undefined;
      parts.push(found.part);
      at += found.length;
    } else {
      const escaped = rest.startsWith('\\') ? rest.slice(1) : rest;
      if (escaped === '') return undefined;
      const character = String.fromCodePoint(escaped.codePointAt(0) as number);
      parts.push({ kind: 'text', text: character });
      at += character.length + (rest.length - escaped.length);
    }
  }
  return parts;
}

/** Pairs of the first and the last character. */
const namedClasses: Readonly<Record<string, string>> = {
  alnum: '09AZaz',
  alpha: 'AZaz',
  blank: '  \t\t',
  cntrl: '\0\u001f\u007f\u007f',
  digit: '09',
  graph: '!~',
  lower: 'az',
  print: ' ~',
  punct: '!/:@[`{~',
  space: '\t\r  ',
  upper: 'AZ',
  xdigit: '09AFaf',
};

/** Parses `[a-z]`, `[!a-z]`, `[[:alpha:]]`. An unclosed class matches nothing, as in git. */
function characterClass(text: string): { readonly part: NamePatternPart; readonly length: number } | undefined {
  const head = /^\[[!^]?/.exec(text)?.[0] ?? '[';
  const member = /\[:(?<named>\w+):\]|(?<from>\\.|[^\\])-(?<to>\\.|[^\]\\])|(?<one>\\.|[^\\])/suy;
  const ranges: CharacterRange[] = [];
  let members = 0;
  for (let at = head.length; at < text.length;) {
    if (text[at] === ']' && members > 0)
      return { part: { kind: 'class', negated: head.length > 1, ranges }, length: at + 1 };
    member.lastIndex = at;
    const found = member.exec(text);
    if (found === null) return undefined;
    const { named: name, from, to, one } = found.groups ?? {};
    const pairs = name === undefined ? '' : namedClasses[name];
    if (pairs === undefined) return undefined;
    for (let pair = 0; pair < pairs.length; pair += 2) ranges.push([pairs[pair]!, pairs[pair + 1]!]);
    // A backwards range has no members.
    if (name === undefined) ranges.push([unescaped(from ?? one ?? ''), unescaped(to ?? one ?? '')]);
    members += 1;
    at = member.lastIndex;
  }
  return undefined;
}

const unescaped = (text: string): string => (text.length > 1 && text.startsWith('\\') ? text.slice(1) : text);
export type HomeAndVariables = { readonly osHome: string; readonly env: Readonly<Record<string, string | undefined>> };

/** The rules in force in the folder, without its own file. None if it is ignored: its user wants its contents. */
export function loadIgnoreRules(
  root: string,
  user: HomeAndVariables,
  { denies }: Required<Pick<BoundedReading, 'denies'>>,
) {
  const withText = (rules: IgnoreRules, folder: string, file: string): IgnoreRules => {
    const text = readTextIfPossible(file, { maxBytes: mostIgnoreBytes, denies });
    return text === undefined ? rules : withIgnoreFile(rules, folder, text);
  };
  const top = findRepository(root) ?? root;
  let rules = withText(nothingIgnored, top, userExcludes(user));
  const directory = findGitDirectory(top);
  if (directory !== undefined) rules = withText(rules, top, join(directory.common, 'info', 'exclude'));
  const between = [...folderAndParents(root)].filter((folder) => folder !== root && isWithin(folder, top)).toReversed();
  for (const folder of between) rules = withText(rules, folder, join(folder, '.gitignore'));
  const trail = [...between, root].filter((folder) => folder !== top);
  return trail.some((folder) => isIgnored(rules, folder, 'folder')) ? nothingIgnored : rules;
}

/** Git's `core.excludesFile`. */
function userExcludes({ osHome, env }: HomeAndVariables): string {
  const shared = env['XDG_CONFIG_HOME'] ?? '';
  const folder = join(shared === '' ? join(osHome, '.config') : shared, 'git');
  for (const file of [join(osHome, '.gitconfig'), join(folder, 'config')]) {
    const text = readTextIfPossible(file, { maxBytes: readLimits.gitConfigBytes });
    const named = gitConfigValue(text ?? '', { section: 'core', key: 'excludesfile' });
    if (named !== undefined && named !== '') return resolve(dirname(file), named.replace(/^~(?=\/)/, osHome));
  }
  return join(folder, 'ignore');
}
