import { formatTomlString, readTomlString } from './toml-string.ts';

/**
 * A dotted TOML key as its parts: bare words, or quoted where a part has dots or other characters of its own. Undefined
 * when the text is no such key.
 */
export function parseTomlKey(text: string): readonly string[] | undefined {
  const parts: string[] = [];
  let at = 0;
  for (;;) {
    at = afterSpace(text, at);
    const part = readPart(text, at);
    if (part === undefined) return undefined;
    parts.push(part.value);
    at = afterSpace(text, part.end);
    if (at === text.length) return parts;
    if (text[at] !== '.') return undefined;
    at++;
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
