import { type CharacterRange, nameMatcher, type NamePart } from '../base/name-machine.ts';

/** One line of an ignore file, ready to be asked. */
export interface IgnorePattern {
  /** What it matches is not ignored after all. */
  readonly negated: boolean;
  readonly foldersOnly: boolean;
  /** `path` is relative to the folder of the ignore file, `name` is its last component. */
  matches(path: string, name: string): boolean;
}

/** A longer line is left out: patterns that users write have a tenth of it. */
const longestLine = 1000;

/** Reads a line as git does. Undefined when it says nothing: blank, a comment, or a pattern that can match nothing. */
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

/** Spaces at the end do not count unless a backslash stands before them. */
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
function parseParts(text: string): readonly NamePart[] | undefined {
  const parts: NamePart[] = [];
  for (let at = 0; at < text.length;) {
    const rest = text.slice(at);
    const stars = /^\*+/.exec(rest)?.[0] ?? '';
    if (stars !== '') {
      const after = rest.slice(stars.length);
      const whole = stars.length >= 2 && (at === 0 || text[at - 1] === '/') && (after === '' || after.startsWith('/'));
      if (whole) parts.push({ kind: 'folders' });
      // At the end it means all that is inside, so at least one more component.
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

/** From and to, pair by pair. */
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

/** `[a-z]`, `[!a-z]`, `[[:alpha:]]`. A class that is never closed matches nothing, as in git. */
function characterClass(text: string): { readonly part: NamePart; readonly length: number } | undefined {
  const head = /^\[[!^]?/.exec(text)?.[0] ?? '[';
  const member = /\[:(?<named>\w+):\]|(?<from>\\.|[^\\])-(?<to>\\.|[^\]\\])|(?<one>\\.|[^\\])/suy;
  const ranges: CharacterRange[] = [];
  let members = 0;
  for (let at = head.length; at < text.length;) {
    if (text[at] === ']' && members > 0) {
      return { part: { kind: 'class', negated: head.length > 1, ranges }, length: at + 1 };
    }
    member.lastIndex = at;
    const found = member.exec(text);
    if (found === null) return undefined;
    const { named: name, from, to, one } = found.groups ?? {};
    const pairs = name === undefined ? '' : namedClasses[name];
    if (pairs === undefined) return undefined;
    for (let pair = 0; pair < pairs.length; pair += 2) ranges.push([pairs[pair]!, pairs[pair + 1]!]);
    // A range that runs backwards has no members.
    if (name === undefined) ranges.push([unescaped(from ?? one ?? ''), unescaped(to ?? one ?? '')]);
    members += 1;
    at = member.lastIndex;
  }
  return undefined;
}

function unescaped(text: string): string {
  return text.length > 1 && text.startsWith('\\') ? text.slice(1) : text;
}
