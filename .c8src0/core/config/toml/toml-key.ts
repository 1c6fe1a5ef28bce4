import { replaceInvisible } from '../../../base/invisible-characters.ts';

/** Splits a dotted TOML key, bare or quoted. Undefined when the text is no such key. */
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

export const formatTomlKey = (path: readonly string[]): string =>
  path.map((part) => (/^[A-Za-z0-9_-]+$/.test(part) ? part : formatTomlString(part))).join('.');

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

/** The one-line TOML string at the position, and its end. Undefined when there is none. */
function readTomlString(text: string, start: number): { readonly value: string; readonly end: number } | undefined {
  if (text.startsWith('"""', start) || text.startsWith("'''", start)) return undefined;
  string.lastIndex = start;
  const [whole = '', basic, literal = ''] = string.exec(text) ?? [];
  const value = whole === '' ? undefined : basic === undefined ? literal : unescape(basic);
  return value === undefined ? undefined : { value, end: start + whole.length };
}

export function formatTomlString(text: string): string {
  // JSON's escapes are valid in TOML, which also requires one for delete. Characters that mislead readers get one, too.
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
