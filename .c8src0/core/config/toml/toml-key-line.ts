import { parseTomlKey } from './toml-key.ts';

/**
 * The 1-based line where a TOML document first names a key, or else its nearest enclosing table. Members of lists have
 * their index as a key. For messages only; the parser must have accepted the document.
 */
export function tomlKeyLine(text: string, path: readonly string[]): number | undefined {
  const lines = new KeyScanner(text).lines();
  for (let length = path.length; length > 0; length--) {
    const line = lines.get(nameOf(path.slice(0, length)));
    if (line !== undefined) return line;
  }
  return undefined;
}

type Path = readonly string[];
/** Deeper nesting ends the search, so that no document can exhaust the stack. */
const deepest = 200;

class KeyScanner {
  readonly #text: string;
  #at = 0;
  #countedTo = 0;
  #line = 1;
  readonly #lines = new Map<string, number>();
  /** The number of tables in each array of tables so far. */
  readonly #lengths = new Map<string, number>();

  constructor(text: string) {
    this.#text = text;
  }

  lines(): ReadonlyMap<string, number> {
    let table: Path = [];
    for (;;) {
      this.#void();
      if (this.#at >= this.#text.length) return this.#lines;
      if (this.#text[this.#at] === '[') table = this.#header() ?? table;
      else this.#pair(table, 0);
      // Skip the rest of a line that was not understood.
      this.#take(/[^\n]*/y);
    }
  }

  #header(): Path | undefined {
    const isList = this.#take(/\[\[?/y).length === 2;
    const parts = this.#key();
    if (parts === undefined) return undefined;
    const path = this.#inLists(isList ? parts.slice(0, -1) : parts);
    if (!isList) return this.#note(path);
    const list = [...path, parts.at(-1) ?? ''];
    const index = this.#lengths.get(nameOf(list)) ?? 0;
    this.#lengths.set(nameOf(list), index + 1);
    return this.#note([...list, String(index)]);
  }

  /** A header inside an array of tables refers to its last table. */
  #inLists(parts: Path): Path {
    const path: string[] = [];
    for (const part of parts) {
      path.push(part);
      const length = this.#lengths.get(nameOf(path));
      if (length !== undefined) path.push(String(length - 1));
    }
    return path;
  }

  #pair(table: Path, depth: number): void {
    const parts = this.#key();
    if (parts === undefined) return;
    const path = this.#note([...table, ...parts]);
    this.#take(/[ \t]*=[ \t]*/y);
    this.#value(path, depth);
  }

  #value(path: Path, depth: number): void {
    switch (this.#text[this.#at]) {
      case '"':
        return void this.#take(/"""(?:[^\\]|\\[^])*?"""+|"(?:[^"\\\n]|\\.)*"?/y);
      case "'":
        return void this.#take(/'''[^]*?'''+|'[^'\n]*'?/y);
      case '[':
        return this.#members(']', depth, (index) => this.#value(this.#note([...path, String(index)]), depth + 1));
      case '{':
        return this.#members('}', depth, () => this.#pair(path, depth + 1));
      default:
        return void this.#take(/[^\s,\]}#]*/y);
    }
  }

  #members(close: string, depth: number, read: (index: number) => void): void {
    this.#at = depth < deepest ? this.#at + 1 : this.#text.length;
    for (let index = 0; this.#at < this.#text.length; index++) {
      this.#void();
      if (this.#text[this.#at] === close) {
        this.#at++;
        return;
      }
      const before = this.#at;
      read(index);
      this.#void();
      if (this.#text[this.#at] === ',') this.#at++;
      if (this.#at === before) return;
    }
  }

  #key(): Path | undefined {
    return parseTomlKey(this.#take(/[ \t]*(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[A-Za-z0-9_.\- \t])+/y));
  }

  #void(): void {
    this.#take(/(?:\s|#[^\n]*)*/y);
  }

  /** Also notes the tables around the key that no earlier line has named. */
  #note(path: Path): Path {
    for (; this.#countedTo < this.#at; this.#countedTo++) if (this.#text[this.#countedTo] === '\n') this.#line++;
    for (let length = 1; length <= path.length; length++) {
      const name = nameOf(path.slice(0, length));
      if (!this.#lines.has(name)) this.#lines.set(name, this.#line);
    }
    return path;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }
}

const nameOf = (path: Path): string => path.join('\0');
