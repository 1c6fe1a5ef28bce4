import { type NameMatcher, nameMatcher, type NamePatternPart } from '../../../base/name-matcher.ts';

type Sign = 'one' | 'open' | 'close' | 'or';
const signs: Readonly<Record<string, Sign>> = { '?': 'one', '{': 'open', '}': 'close', ',': 'or' };
/** No path is longer, and a glob's running time grows with its length. */
const mostCharacters = 4096;

/**
 * Parses git-style globs on absolute paths: `*` and `?` stay inside a component, `**` crosses components, `[a-z]` and
 * `[!a-z]` are classes, `{a,b}` are alternatives, a backslash escapes, an unclosed `[` is literal. Undefined: malformed
 * or too long; the caller must then assume the worst.
 */
export function parseGlob(pattern: string): readonly NamePatternPart[] | undefined {
  if (!pattern.startsWith('/') || pattern.includes('\0') || pattern.length > mostCharacters) return undefined;
  // A final slash means a folder; everything below is covered in any case.
  const characters = [...pattern.replace(/(?<=[^/])\/$/, '')];
  const lastBracket = characters.lastIndexOf(']');
  const parts: NamePatternPart[] = [];
  let depth = 0;
  let at = 0;
  while (at < characters.length) {
    const character = characters[at] as string;
    at += 1;
    if (character === '\\') {
      const escaped = characters[at];
      if (escaped === undefined) return undefined;
      parts.push({ kind: 'text', text: escaped });
      at += 1;
    } else if (character === '*') {
      const begin = at - 1;
      while (characters[at] === '*') at += 1;
      const whole = beginsComponent(parts) && characters[at] === '/';
      const isLong = at - begin > 1;
      parts.push({ kind: isLong ? (whole ? 'folders' : 'anything') : 'some' });
      if (isLong && whole) at += 1;
    } else if (character === '[') {
      const found = at > lastBracket ? 'unclosed' : parseClass(characters, at);
      if (found === 'malformed') return undefined;
      parts.push(found === 'unclosed' ? { kind: 'text', text: '[' } : found.part);
      if (found !== 'unclosed') at = found.next;
    } else {
      if (character === '}' && depth === 0) return undefined;
      const kind = character === ',' && depth === 0 ? undefined : signs[character];
      parts.push(kind === undefined ? { kind: 'text', text: character } : { kind });
      depth += kind === 'open' ? 1 : kind === 'close' ? -1 : 0;
    }
  }
  return depth === 0 ? parts : undefined;
}

/** The next part begins a component, in each open alternative. */
function beginsComponent(parts: readonly NamePatternPart[]): boolean {
  let depth = 0;
  for (let at = parts.length - 1; at >= 0; at -= 1) {
    const part = parts[at]!;
    if (part.kind === 'close') return false;
    if (part.kind === 'or') depth = 1;
    else if (part.kind === 'open') depth = 0;
    else if (depth === 0) return part.kind === 'folders' || (part.kind === 'text' && part.text === '/');
  }
  return false;
}

type ClassFound = { readonly part: NamePatternPart; readonly next: number } | 'unclosed' | 'malformed';

function parseClass(characters: readonly string[], start: number): ClassFound {
  const negated = characters[start] === '!' || characters[start] === '^';
  let at = negated ? start + 1 : start;
  const ranges: [string, string][] = [];
  let reversed = false;
  for (let first = true; ; first = false) {
    const from = characters[at];
    if (from === undefined) return 'unclosed';
    // A bracket in first place is a member, as in every shell.
    if (from === ']' && !first) break;
    const [low, behind] = memberAt(characters, at);
    const [high, end] = memberAt(characters, behind + 1);
    if (low === undefined) return 'unclosed';
    if (characters[behind] === '-' && high !== undefined && characters[behind + 1] !== ']') {
      reversed ||= low > high;
      ranges.push([low, high]);
      at = end;
    } else {
      ranges.push([low, low]);
      at = behind;
    }
  }
  return reversed ? 'malformed' : { part: { kind: 'class', negated, ranges }, next: at + 1 };
}

const memberAt = (characters: readonly string[], at: number): readonly [string | undefined, number] =>
  characters[at] === '\\' ? [characters[at + 1], at + 2] : [characters[at], at + 1];

/**
 * True if the glob matches the path or a folder above it, at most `depth` names below the folder with which the glob
 * begins. A malformed glob covers all: it fails closed.
 */
export function globCovers(pattern: string, path: string, depth = Number.POSITIVE_INFINITY): boolean {
  const matcher = matcherOf(pattern);
  return matcher === undefined || matcher(depth === Number.POSITIVE_INFINITY ? path : upTo(path, pattern, depth));
}

function upTo(path: string, pattern: string, depth: number): string {
  const start = globBaseFolder(pattern);
  const most = (start === '/' ? 0 : start.split('/').length - 1) + depth;
  return path.split('/', most + 1).join('/');
}

/** The folder that contains every match of the glob: the part before the first special character. */
export function globBaseFolder(pattern: string): string {
  const first = pattern.search(/[*?[\]{}\\]/);
  const head = first < 0 ? pattern : pattern.slice(0, first);
  return head.slice(0, Math.max(head.lastIndexOf('/'), 1));
}

export const escapeGlob = (path: string): string => path.replaceAll(/[*?[\]{}\\]/g, String.raw`\$&`);

// Patterns are few and used often; compiling is a pure function of the text.
const compiled = new Map<string, NameMatcher | undefined>();

function matcherOf(pattern: string): NameMatcher | undefined {
  if (!compiled.has(pattern)) {
    const parts = parseGlob(pattern);
    compiled.set(pattern, parts && nameMatcher(parts, { covers: true }));
    if (compiled.size > 1000) compiled.delete(compiled.keys().next().value as string);
  }
  return compiled.get(pattern);
}
