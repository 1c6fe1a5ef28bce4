import { type SizedStream, visibleText } from './visible-text.ts';

/** Sixteen colours only: a terminal's own theme makes them readable. */
export type TextLook = keyof typeof codes;
export type StyledText = { readonly look: TextLook; readonly text: string };
export type Span = string | StyledText;
export type ColorChoice = 'auto' | 'always' | 'never';

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

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
      const [begin, end] = codes[span.look];
      return color && text !== '' ? `\u001B[${begin}m${text}\u001B[${end}m` : text;
    })
    .join('');

export const bold = (text: string): StyledText => ({ look: 'bold', text });
export const dim = (text: string): StyledText => ({ look: 'dim', text });
export const red = (text: string): StyledText => ({ look: 'red', text });
export const green = (text: string): StyledText => ({ look: 'green', text });
export const yellow = (text: string): StyledText => ({ look: 'yellow', text });
export const cyan = (text: string): StyledText => ({ look: 'cyan', text });
