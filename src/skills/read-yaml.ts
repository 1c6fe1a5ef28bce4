/** What a small YAML file says: texts, tables of them, and lists of texts. */
type YamlValue = string | YamlTable | readonly string[];

export interface YamlTable {
  readonly [key: string]: YamlValue;
}

/** `reason` ends a sentence. */
export type ReadYaml =
  | { readonly kind: 'read'; readonly table: YamlTable }
  | { readonly kind: 'unread'; readonly reason: string };

interface YamlLine {
  readonly indent: number;
  /** Without the white space around it. */
  readonly text: string;
}

/** What may be nested: more is not a table that a person wrote. */
const deepest = 8;

/**
 * The part of YAML that skills are described in: tables, lists of texts, plain and quoted texts, and blocks of lines.
 * A plain text may hold a colon, which YAML forbids and people write.
 */
export function readYaml(source: string): ReadYaml {
  const lines = source.split(/\r\n|\n|\r/).map((line) => {
    const text = line.trimStart();
    return { indent: line.length - text.length, text: text.trimEnd() };
  });
  try {
    return { kind: 'read', table: new YamlReader(lines).table(-1, 0) };
  } catch (error) {
    if (error instanceof YamlProblem) return { kind: 'unread', reason: error.message };
    throw error;
  }
}

class YamlProblem extends Error {}

class YamlReader {
  readonly #lines: readonly YamlLine[];
  #at = 0;

  constructor(lines: readonly YamlLine[]) {
    this.#lines = lines;
  }

  /** The keys that stand deeper than the parent. */
  table(parent: number, depth: number): YamlTable {
    if (depth > deepest) throw new YamlProblem('its tables are nested too deeply');
    const entries: [string, YamlValue][] = [];
    for (let line = this.#next(); line !== undefined && line.indent > parent; line = this.#next()) {
      const pair = keyIn(line.text);
      if (pair === undefined) throw new YamlProblem(`line ${this.#at + 1} of its table is no \`key: value\``);
      this.#at++;
      entries.push([pair.key, this.#value(pair.rest, line.indent, depth)]);
    }
    return Object.fromEntries(entries);
  }

  #value(rest: string, indent: number, depth: number): YamlValue {
    if (/^[|>][-+0-9]{0,2}(?:\s+#.*)?$/.test(rest)) return this.#block(rest.startsWith('|'), indent);
    if (rest.startsWith('"') || rest.startsWith("'")) return quotedText([rest, ...this.#deeper(indent)].join(' '));
    if (rest.startsWith('[') && rest.endsWith(']')) return rest.slice(1, -1).split(',').map(entryText).filter(isSaid);
    if (rest !== '' && !rest.startsWith('#')) return plainText([rest, ...this.#deeper(indent)]);
    const next = this.#next();
    if (next === undefined || next.indent < indent) return '';
    if (isEntry(next)) return this.#list(indent);
    if (next.indent === indent) return '';
    return keyIn(next.text) === undefined ? plainText(this.#deeper(indent)) : this.table(indent, depth + 1);
  }

  /** Texts after dashes. Tables in a list are of no use here, and their other lines are left out. */
  #list(indent: number): readonly string[] {
    const entries: string[] = [];
    for (let line = this.#next(); line !== undefined && line.indent >= indent; line = this.#next()) {
      if (isEntry(line)) entries.push(entryText(line.text.slice(1)));
      else if (line.indent === indent) break;
      this.#at++;
    }
    return entries;
  }

  /** Lines that belong to the text before them. */
  #deeper(indent: number): readonly string[] {
    const found: string[] = [];
    for (let line = this.#next(); line !== undefined && line.indent > indent; line = this.#next()) {
      found.push(line.text);
      this.#at++;
    }
    return found;
  }

  #block(keepsLines: boolean, indent: number): string {
    const found: string[] = [];
    for (let line = this.#lines[this.#at]; line !== undefined; line = this.#lines[this.#at]) {
      if (line.text !== '' && line.indent <= indent) break;
      found.push(line.text);
      this.#at++;
    }
    return found.join(keepsLines ? '\n' : ' ').trim();
  }

  /** The next line that says something. */
  #next(): YamlLine | undefined {
    for (; this.#at < this.#lines.length; this.#at++) {
      const line = this.#lines[this.#at]!;
      if (line.text !== '' && !line.text.startsWith('#')) return line;
    }
    return undefined;
  }
}

/** The key and what stands behind its colon. */
function keyIn(text: string): { readonly key: string; readonly rest: string } | undefined {
  const quoted = /^"([^"]*)"\s*:(?=\s|$)|^'([^']*)'\s*:(?=\s|$)/.exec(text);
  if (quoted !== null) return { key: quoted[1] ?? quoted[2] ?? '', rest: text.slice(quoted[0].length).trim() };
  if (/^[-#"'[{&*!|>%@`]/.test(text)) return undefined;
  const end = /:(?=\s|$)/.exec(text)?.index;
  if (end === undefined || end === 0) return undefined;
  return { key: text.slice(0, end).trimEnd(), rest: text.slice(end + 1).trim() };
}

function isEntry({ text }: YamlLine): boolean {
  return text === '-' || text.startsWith('- ');
}

function isSaid(text: string): boolean {
  return text !== '';
}

function plainText(lines: readonly string[]): string {
  const text = lines
    .map((line) => line.replace(/\s#.*$/, ''))
    .join(' ')
    .trim();
  return text === '~' || text === 'null' ? '' : text;
}

function entryText(text: string): string {
  const own = text.trim();
  return own.startsWith('"') || own.startsWith("'") ? quotedText(own) : plainText([own]);
}

function quotedText(text: string): string {
  const double = /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/.exec(text)?.[1];
  if (double !== undefined) return unescaped(double);
  const single = /^'((?:[^']|'')*)'\s*(?:#.*)?$/.exec(text)?.[1];
  if (single !== undefined) return single.replaceAll("''", "'");
  throw new YamlProblem(`the text that begins with ${text.slice(0, 20)} is not closed`);
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0' };

function unescaped(text: string): string {
  return text.replace(/\\(?:x([\da-f]{2})|u([\da-f]{4})|(.))/gi, (_, x: string, u: string, other: string) =>
    other === undefined ? String.fromCharCode(Number.parseInt(x ?? u, 16)) : (escapes[other] ?? other),
  );
}
