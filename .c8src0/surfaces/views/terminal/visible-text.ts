import { replaceInvisible } from '../../../base/invisible-characters.ts';
import { countColumns, cutToColumns, splitGraphemes } from '../../../base/text-columns.ts';

/**
 * Replaces hidden characters by signs, such as `␛` or `<U+202E>`, and CR LF by LF. Joiners and variation selectors stay
 * where a script or an emoji needs them.
 */
export const visibleText = (text: string): string => replaceInvisible(text.replaceAll('\r\n', '\n'), signForCharacter);
/** Visible text in one line, so that a name cannot imitate a line of its own. */
export const visibleLine = (text: string): string => visibleText(text).replaceAll(/[\n\t]/g, signForCharacter);
/** Escapes the hidden characters, which occur only in strings: every reader gets the same value. */
export const visibleJson = (json: string): string => replaceInvisible(json, escapeOf);

export function signForCharacter(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? '\u2421' : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

const escapeOf = (sign: string): string =>
  Array.from({ length: sign.length }, (_, at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');

export function fitToWidth(text: string, width: number): string {
  if (countColumns(text) <= width) return text;
  return width <= 0 ? '' : `${cutToColumns(text, width - 1)}…`;
}

export function padToWidth(text: string, width: number, side: 'left' | 'right' = 'right'): string {
  const blanks = ' '.repeat(Math.max(0, width - countColumns(text)));
  return side === 'right' ? text + blanks : blanks + text;
}

export const wrap = (text: string, width: number): readonly string[] =>
  text.split('\n').flatMap((line) => {
    const lines: string[] = [];
    let rest = line;
    for (;;) {
      const kept = fittingPrefix(rest, width);
      if (kept.length === rest.length) return [...lines, rest];
      const space = rest.lastIndexOf(' ', kept.length);
      const at = space > kept.length / 2 ? space + 1 : kept.length;
      lines.push(rest.slice(0, at).trimEnd());
      rest = rest.slice(at);
    }
  });

/** As much of a text as fits, but never nothing: what must not be split may be wider. */
export function fittingPrefix(text: string, width: number): string {
  const part = cutToColumns(text, width);
  return part !== '' || text === '' ? part : (splitGraphemes(text).next().value?.text ?? '');
}

export type SizedStream = { readonly isTTY?: boolean; readonly columns?: number };
/** The columns of a terminal. Undefined if it is no terminal, or reports its size as 0 because it is unknown. */
export const terminalWidth = ({ columns = 0 }: SizedStream): number | undefined => (columns > 0 ? columns : undefined);
