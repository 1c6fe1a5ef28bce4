import { tokenize, type Token } from './tokens.ts';

export interface Import {
  readonly line: number;
  /** Undefined for a dynamic import of a computed name. */
  readonly specifier: string | undefined;
  /** The imported names; `*` for a namespace, a re-export of everything and a dynamic import; none for a side effect. */
  readonly names: readonly string[];
}

/** All imports of a source: static, type-only, dynamic, `import('…')` types and re-exports. */
export function importsOf(source: string): readonly Import[] {
  const tokens = tokenize(source);
  return tokens.flatMap((token, index) => {
    const found = importAt(tokens, index);
    return found === undefined ? [] : [{ line: token.line, ...found }];
  });
}

function importAt(tokens: readonly Token[], index: number): Omit<Import, 'line'> | undefined {
  const token = tokens[index];
  const before = tokens[index - 1]?.text;
  const next = tokens[index + 1];
  if (token?.kind !== 'word' || next === undefined || before === '.' || before === '?.') return undefined;

  if (token.text === 'import') {
    if (next.text === '(' && next.kind === 'mark') {
      const name = tokens[index + 2];
      return { specifier: name?.kind === 'string' ? name.text : undefined, names: ['*'] };
    }
    if (next.kind === 'string') return { specifier: next.text, names: [] };
    return clauseAt(tokens, index + 1);
  }
  if (token.text === 'export') return clauseAt(tokens, index + 1);
  return undefined;
}

/** Reads `type? name?, (* as name | { names })? from 'specifier'`; undefined where the tokens are something else. */
function clauseAt(tokens: readonly Token[], start: number): Omit<Import, 'line'> | undefined {
  const text = (index: number): string | undefined => tokens[index]?.text;
  const names: string[] = [];
  let at = start;
  if (text(at) === 'type' && text(at + 1) !== 'from' && text(at + 1) !== ',') at += 1;
  if (tokens[at]?.kind === 'word' && text(at) !== 'from') {
    names.push('default');
    at += text(at + 1) === ',' ? 2 : 1;
  }
  if (text(at) === '*') {
    names.push('*');
    at += text(at + 1) === 'as' ? 3 : 1;
  } else if (text(at) === '{') {
    const end = tokens.findIndex((token, index) => index > at && token.text === '}');
    if (end === -1) return undefined;
    names.push(...bracedNames(tokens.slice(at + 1, end).map((token) => token.text)));
    at = end + 1;
  }
  const specifier = tokens[at + 1];
  return text(at) === 'from' && specifier?.kind === 'string' ? { specifier: specifier.text, names } : undefined;
}

/** The names before `as`, without `type`: from `a, type B, c as d` to `a`, `B`, `c`. */
function bracedNames(words: readonly string[]): readonly string[] {
  return words
    .join(' ')
    .split(',')
    .map((part) => part.trim().split(' '))
    .map((part) => (part[0] === 'type' && part.length % 2 === 0 ? part[1] : part[0]) ?? '')
    .filter((name) => name !== '');
}
