import type { Json, JsonObject } from '../protocol/json.ts';
import { parseTomlKey } from './toml-key.ts';
import { readTomlString } from './toml-string.ts';

/**
 * One value in TOML: a string on one line, an integer, a float, a boolean, an array or an inline table. Undefined when
 * the text is not exactly one of these. Dates, multi-line strings and the float words (`inf`, `nan`) are not read: in a
 * flag they are far more likely meant as plain text.
 *
 * Written out because a flag needs only this much, and loading the TOML library for it would slow the start.
 */
export function parseTomlValue(text: string): Json | undefined {
  const reader = new Reader(text);
  try {
    reader.space();
    const value = reader.value();
    reader.space();
    reader.comment();
    return reader.atEnd() ? value : undefined;
  } catch (error) {
    if (error instanceof NotToml) return undefined;
    throw error;
  }
}

class NotToml extends Error {}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  atEnd(): boolean {
    return this.#at === this.#text.length;
  }

  space(): void {
    this.#take(/[ \t]*/y);
  }

  comment(): void {
    this.#take(/(?:#[^\n\r]*)?/y);
  }

  value(): Json {
    switch (this.#text[this.#at]) {
      case '"':
      case "'":
        return this.#string();
      case '[':
        return this.#array();
      case '{':
        return this.#inlineTable();
      default:
        return scalar(this.#take(/[A-Za-z0-9+._-]+/y));
    }
  }

  #string(): string {
    const read = readTomlString(this.#text, this.#at);
    if (read === undefined) throw new NotToml();
    this.#at = read.end;
    return read.value;
  }

  #array(): Json {
    const values: Json[] = [];
    this.#expect('[');
    this.#lines();
    while (!this.#skip(']')) {
      values.push(this.value());
      this.#lines();
      if (this.#skip(',')) this.#lines();
      else if (this.#text[this.#at] !== ']') throw new NotToml();
    }
    return values;
  }

  #inlineTable(): Json {
    const table = new Table();
    this.#expect('{');
    this.space();
    if (this.#skip('}')) return table.toJson();
    do {
      this.space();
      const path = this.#key();
      this.#expect('=');
      this.space();
      table.set(path, this.value());
      this.space();
    } while (this.#skip(','));
    this.#expect('}');
    return table.toJson();
  }

  #key(): readonly string[] {
    const path = parseTomlKey(this.#take(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_.\- \t])+/y));
    if (path === undefined) throw new NotToml();
    return path;
  }

  /** Inside an array, values may stand on lines of their own, with comments between them. */
  #lines(): void {
    this.#take(/(?:[ \t\n]|\r\n|#[^\n\r]*(?=\r?\n))*/y);
  }

  #skip(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #expect(character: string): void {
    if (!this.#skip(character)) throw new NotToml();
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) throw new NotToml();
    this.#at = pattern.lastIndex;
    return match[0];
  }
}

/** An inline table while it is read. A key is set once, and a value never grows into a table. */
class Table {
  readonly #members = new Map<string, Json | Table>();

  set(path: readonly string[], value: Json): void {
    const [head, ...tail] = path;
    if (head === undefined) throw new NotToml();
    const present = this.#members.get(head);
    if (tail.length === 0) {
      if (present !== undefined) throw new NotToml();
      this.#members.set(head, value);
      return;
    }
    const inner = present ?? new Table();
    if (!(inner instanceof Table)) throw new NotToml();
    inner.set(tail, value);
    this.#members.set(head, inner);
  }

  toJson(): JsonObject {
    const entries = [...this.#members].map(([key, value]) => [key, value instanceof Table ? value.toJson() : value]);
    return Object.fromEntries(entries) as JsonObject;
  }
}

const digits = '[0-9](?:_?[0-9])*';
const whole = `[+-]?(?:0|[1-9](?:_?[0-9])*)`;
const integer = new RegExp(`^${whole}$`);
const float = new RegExp(`^${whole}(?:\\.${digits})?(?:[eE][+-]?${digits})?$`);
const prefixed = /^0(?:x[0-9A-Fa-f](?:_?[0-9A-Fa-f])*|o[0-7](?:_?[0-7])*|b[01](?:_?[01])*)$/;

function scalar(word: string): Json {
  if (word === 'true' || word === 'false') return word === 'true';
  const isInteger = integer.test(word) || prefixed.test(word);
  if (!isInteger && !float.test(word)) throw new NotToml();
  const number = Number(word.replaceAll('_', ''));
  // Beyond these bounds the number would not be the one that was written.
  if (isInteger ? !Number.isSafeInteger(number) : !Number.isFinite(number)) throw new NotToml();
  return isInteger && number === 0 ? 0 : number;
}
