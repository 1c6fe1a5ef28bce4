import { mostNesting, tooDeep } from './meter.ts';
import { RulesFault } from './rules-fault.ts';
import type { Token } from './tokens.ts';

/** The names of a file, a function or a comprehension while it is read. */
export interface NameScope {
  readonly kind: 'file' | 'function' | 'comprehension';
  /** Names that get a value in it. */
  readonly names: Set<string>;
  /** Names that are read in it and the line where. */
  readonly uses: Map<string, number>;
  readonly outer: NameScope | undefined;
  /** How many loops are around the place that is read. */
  loops: number;
}

/** Where reading has come to. */
export interface Cursor {
  readonly tokens: readonly Token[];
  at: number;
  depth: number;
  scope: NameScope;
}

export function openScope(cursor: Pick<Cursor, 'scope'>, kind: NameScope['kind']): NameScope {
  return (cursor.scope = { kind, names: new Set(), uses: new Map(), outer: cursor.scope, loops: 0 });
}

/** What has no value in the scope is looked for around it. */
export function closeScope(cursor: Cursor): void {
  const { outer, names, uses } = cursor.scope;
  if (outer === undefined) return;
  for (const [name, line] of uses) if (!names.has(name) && !outer.uses.has(name)) outer.uses.set(name, line);
  cursor.scope = outer;
}

export function peek(cursor: Cursor): Token {
  // The last one is the end, and nothing takes that.
  return cursor.tokens[cursor.at] ?? cursor.tokens.at(-1)!;
}

/** Whether one of these symbols is next. */
export function sees(cursor: Cursor, ...symbols: readonly string[]): boolean {
  const { kind, text } = peek(cursor);
  return kind === 'symbol' && symbols.includes(text);
}

export function takeIf(cursor: Cursor, symbol: string): boolean {
  const found = sees(cursor, symbol);
  if (found) cursor.at++;
  return found;
}

/** The next word, of a kind that must be there. */
export function expect(cursor: Cursor, wanted: Token['kind'], text?: string): Token {
  const token = peek(cursor);
  if (token.kind !== wanted || (text !== undefined && token.text !== text)) throw unexpected(token, text ?? wanted);
  cursor.at++;
  return token;
}

const nouns: Readonly<Record<string, string>> = {
  newline: 'the end of the line',
  indent: 'an indented block',
  name: 'a name',
  expression: 'a value',
};

export function unexpected({ kind, text, line }: Token, wanted: string): RulesFault {
  const found = ['name', 'number', 'symbol'].includes(kind) ? `\`${text}\`` : kind === 'string' ? 'a string' : text;
  return new RulesFault(`Unexpected: ${found}.`, `Expected here: ${nouns[wanted] ?? `\`${wanted}\``}.`, line);
}

/** Reads something that may contain itself. */
export function readNested<Read>(cursor: Cursor, read: () => Read): Read {
  if (++cursor.depth > mostNesting) throw tooDeep(peek(cursor).line);
  const found = read();
  cursor.depth--;
  return found;
}
