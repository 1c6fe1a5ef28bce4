import { replaceInvisible } from '../../../base/invisible-characters.ts';

/** A dotted TOML key as its parts, bare or quoted. Undefined when the text is no such key. */
export function parseTomlKey(text: string): readonly string[] | undefined {
  const parts: string[] = [];
  for (let at = 0; ; at++) {
    const part = readPart(text, afterSpace(text, at));
    if (part === undefined) return undefined;
    parts.push(part.value);
    at = afterSpace(text, part.end);
    if (at === text.length) return parts;
    if (text[at] !== '.') return undefined;
  }
}

/** The same the other way round: a dotted key that gives these parts. */
export function formatTomlKey(path: readonly string[]): string {
  return path.map((part) => (/^[A-Za-z0-9_-]+$/.test(part) ? part : formatTomlString(part))).join('.');
}

function readPart(text: string, at: number): { readonly value: string; readonly end: number } | undefined {
  if (text[at] === '"' || text[at] === "'") return readTomlString(text, at);
  const bare = /[A-Za-z0-9_-]+/y;
  bare.lastIndex = at;
  const value = bare.exec(text)?.[0];
  return value === undefined ? undefined : { value, end: at + value.length };
}

function afterSpace(text: string, at: number): number {
  let end = at;
  while (text[end] === ' ' || text[end] === '\t') end++;
  return end;
}

const escapes: Readonly<Record<string, string>> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', '"': '"', '\\': '\\' };

const string = /"((?:[^"\\\u0000-\u0008\u000A-\u001F\u007F]|\\.)*)"|'([^'\u0000-\u0008\u000A-\u001F\u007F]*)'/y;

/** The TOML string on one line that begins at the position, and where it ends. Undefined when there is none. */
function readTomlString(text: string, start: number): { readonly value: string; readonly end: number } | undefined {
  // Three quotes begin a string over several lines, which is not read here.
  if (text.startsWith('"""', start) || text.startsWith("'''", start)) return undefined;
  string.lastIndex = start;
  const [whole = '', basic, literal = ''] = string.exec(text) ?? [];
  const value = whole === '' ? undefined : basic === undefined ? literal : unescape(basic);
  return value === undefined ? undefined : { value, end: start + whole.length };
}

/** The text as a TOML string on one line. */
export function formatTomlString(text: string): string {
  // The escapes of JSON are escapes of TOML too. It lacks the one for delete, which TOML wants escaped, and those for
  // characters that a reader would not see, or that would show the text in another order.
  return replaceInvisible(JSON.stringify(text), (sign) => {
    const code = (sign.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
  });
}

function unescape(body: string): string | undefined {
  let valid = true;
  const value = body.replace(/\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)/g, (_, name: string) => {
    const character = name.length > 1 ? fromCodePoint(Number.parseInt(name.slice(1), 16)) : escapes[name];
    if (character === undefined) valid = false;
    return character ?? '';
  });
  return valid ? value : undefined;
}

function fromCodePoint(code: number): string | undefined {
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  return code > 0x10ffff || isSurrogate ? undefined : String.fromCodePoint(code);
}
