type TextRole = 'accent' | 'good' | 'bad' | 'warn' | 'special' | 'quote' | 'marker';
export type SyntaxRole = 'keyword' | 'string' | 'comment' | 'number';
/** The purpose of a text. Palettes give each role its colour. */
export type ColourRole = TextRole | SyntaxRole;
/** `tint`: for the user's words. `added-number`: for the column of line numbers. */
export type BackRole = 'tint' | 'added' | 'removed' | 'added-number' | 'removed-number';
/** A colour set by a program: one of 256, or `trueColour` plus its red, green and blue. */
export type ProgramColour = number;

export const trueColour = 0x1000000;

export interface Style {
  readonly colour?: ColourRole | ProgramColour;
  readonly back?: BackRole | ProgramColour;
  readonly weight?: 'bold' | 'dim';
  readonly italic?: true;
  readonly underline?: true;
  readonly strike?: true;
  readonly inverse?: true;
}

/** A part of a row. Its text is clean and has neither newline nor tab. */
export type RowPiece = { readonly text: string; readonly style?: Style };
export type Row = readonly RowPiece[];

export const plain = (text: string): RowPiece => ({ text });
export const styled = (text: string, style: Style): RowPiece => ({ text, style });
export const dimStyle: Style = { weight: 'dim' };
export const boldStyle: Style = { weight: 'bold' };
export const accentStyle: Style = { colour: 'accent' };
export const goodStyle: Style = { colour: 'good' };
export const badStyle: Style = { colour: 'bad' };
export const warnStyle: Style = { colour: 'warn' };

export const restyled = (row: Row, under: Style): Row =>
  row.map(({ text, style }) => ({ text, style: mergedStyle(under, style) }));

const merged = new WeakMap<Style, WeakMap<Style, Style>>();

/** Merges two styles. The same pair gives the same object, so that results can be cached by it. */
function mergedStyle(under: Style, over: Style | undefined): Style {
  if (over === undefined) return under;
  let known = merged.get(under);
  if (known === undefined) merged.set(under, (known = new WeakMap()));
  let both = known.get(over);
  if (both === undefined) known.set(over, (both = { ...under, ...over }));
  return both;
}
