import { type SizedStream, visibleText } from './visible-text.ts';

/** Sixteen colours only: a terminal's own theme makes them readable. */
export type TextLook = keyof typeof codes;
export type StyledText = { readonly look: TextLook; readonly text: string };
export type Span = string | StyledText;
export type ColorChoice = 'auto' | 'always' | 'never';
const colours = { red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36 } as const;
const codes = { bold: 1, dim: 2, ...colours };

/** By default a terminal gets colours, unless NO_COLOR or TERM=dumb says otherwise. */
export function wantsColor({ isTTY }: SizedStream, choice: ColorChoice, env: NodeJS.ProcessEnv = process.env): boolean {
  if (choice !== 'auto') return choice === 'always';
  return isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
}

/** The text is made visible first, so that no escape sequence but our own is left. */
export const paint = (spans: readonly Span[], color: boolean): string =>
  spans
    .map((span) => {
      if (typeof span === 'string') return visibleText(span);
      const text = visibleText(span.text);
      const end = span.look in colours ? 39 : 22;
      return color && text !== '' ? `\u001B[${codes[span.look]}m${text}\u001B[${end}m` : text;
    })
    .join('');

export const bold = (text: string): StyledText => ({ look: 'bold', text });
export const dim = (text: string): StyledText => ({ look: 'dim', text });
export const red = (text: string): StyledText => ({ look: 'red', text });
export const green = (text: string): StyledText => ({ look: 'green', text });
export const yellow = (text: string): StyledText => ({ look: 'yellow', text });
export const cyan = (text: string): StyledText => ({ look: 'cyan', text });
