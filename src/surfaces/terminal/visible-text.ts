import { replaceInvisible } from '../../base/invisible.ts';

/**
 * The text with hidden characters as signs: `␛` for ESC and so on for the first 32 and DEL, `<U+202E>` for the others.
 * A line that ends with CR LF ends with LF. Joiners and variation selectors stay where a script or an emoji needs them.
 */
export function visibleText(text: string): string {
  return replaceInvisible(text.replaceAll('\r\n', '\n'), signOf);
}

/** The same in one line, so that a name cannot pass for a line of its own. */
export function visibleLine(text: string): string {
  return visibleText(text).replaceAll(/[\n\t]/g, signOf);
}

/** JSON with the same characters escaped, which only stand in its strings: every reader gets the same value. */
export function visibleJson(json: string): string {
  return replaceInvisible(json, escapeOf);
}

/** The sign that stands for a character. */
export function signOf(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? '\u2421' : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

function escapeOf(sign: string): string {
  return sign
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
