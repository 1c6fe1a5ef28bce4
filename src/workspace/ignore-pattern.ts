/** One line of an ignore file, ready to be asked. */
export interface IgnorePattern {
  /** What it matches is not ignored after all. */
  readonly negated: boolean;
  readonly foldersOnly: boolean;
  /** `path` is relative to the folder of the ignore file, `name` is its last component. */
  matches(path: string, name: string): boolean;
}

/** Reads a line as git does. Undefined when it says nothing: blank, a comment, or a pattern that can match nothing. */
export function parseIgnorePattern(line: string): IgnorePattern | undefined {
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
  const expression = expressionOf(text);
  if (expression === undefined) return undefined;
  return anchored ? (path) => expression.test(path) : (_path, name) => expression.test(name);
}

function expressionOf(text: string): RegExp | undefined {
  let source = '';
  for (let at = 0; at < text.length;) {
    const rest = text.slice(at);
    const stars = /^\*+/.exec(rest)?.[0] ?? '';
    if (stars !== '') {
      const after = rest.slice(stars.length);
      const whole = stars.length >= 2 && (at === 0 || text[at - 1] === '/') && (after === '' || after.startsWith('/'));
      if (!whole) source += '[^/]*';
      else source += after === '' ? '.*' : '(?:.*/)?';
      at += stars.length + (whole && after !== '' ? 1 : 0);
    } else if (rest.startsWith('?')) {
      source += '[^/]';
      at += 1;
    } else if (rest.startsWith('[')) {
      const found = characterClass(rest);
      if (found === undefined) return undefined;
      source += found.source;
      at += found.length;
    } else {
      const escaped = rest.startsWith('\\') ? rest.slice(1) : rest;
      const character = String.fromCodePoint(escaped.codePointAt(0) ?? 0);
      if (escaped === '') return undefined;
      source += quote(character);
      at += character.length + (rest.length - escaped.length);
    }
  }
  return new RegExp(`^${source}$`, 'su');
}

const namedClasses: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  blank: ' \\t',
  cntrl: '\\u{0}-\\u{1f}\\u{7f}',
  digit: '0-9',
  graph: '\\u{21}-\\u{7e}',
  lower: 'a-z',
  print: '\\u{20}-\\u{7e}',
  punct: '\\u{21}-\\u{2f}\\u{3a}-\\u{40}\\u{5b}-\\u{60}\\u{7b}-\\u{7e}',
  space: '\\s',
  upper: 'A-Z',
  xdigit: '0-9A-Fa-f',
};

/** `[a-z]`, `[!a-z]`, `[[:alpha:]]`. A class that is never closed matches nothing, as in git. */
function characterClass(text: string): { readonly source: string; readonly length: number } | undefined {
  const head = /^\[[!^]?/.exec(text)?.[0] ?? '[';
  const member = /\[:(?<named>\w+):\]|(?<from>\\?.)-(?<to>\\?[^\]])|(?<one>\\?.)/suy;
  let source = '';
  for (let at = head.length; at < text.length;) {
    if (text[at] === ']' && source !== '') {
      return { source: `(?!/)[${head.length > 1 ? '^' : ''}${source}]`, length: at + 1 };
    }
    member.lastIndex = at;
    const found = member.exec(text);
    if (found === null) return undefined;
    const { named, from, to, one } = found.groups ?? {};
    if (named !== undefined) {
      if (namedClasses[named] === undefined) return undefined;
      source += namedClasses[named];
    } else if (from !== undefined && to !== undefined) {
      const [low, high] = [unescaped(from), unescaped(to)];
      // A range that runs backwards has no members; an impossible one keeps the class from being empty.
      source += low <= high ? `${quote(low)}-${quote(high)}` : '\\u{0}';
    } else source += quote(unescaped(one ?? ''));
    at = member.lastIndex;
  }
  return undefined;
}

function unescaped(text: string): string {
  return text.length > 1 && text.startsWith('\\') ? text.slice(1) : text;
}

/** By number, which is valid inside and outside of a class, whatever the character means there. */
function quote(character: string): string {
  return /[a-z0-9/]/i.test(character) ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
