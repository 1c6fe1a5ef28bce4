/** What a text is for. Palettes give each role its colour. */
export type ColourRole =
  | 'accent'
  | 'good'
  | 'bad'
  | 'warn'
  | 'special'
  | 'quote'
  | 'marker'
  | 'keyword'
  | 'string'
  | 'comment'
  | 'number';

/** `tint`: of the user's words. `added-number`: of the column with line numbers. */
export type BackRole = 'tint' | 'added' | 'removed' | 'added-number' | 'removed-number';

/** A colour that a program chose: one of 256, or with `trueColour` added to its red, green and blue. */
export type GivenColour = number;
export const trueColour = 0x1000000;

export interface Style {
  readonly colour?: ColourRole | GivenColour;
  readonly back?: BackRole | GivenColour;
  readonly weight?: 'bold' | 'dim';
  readonly italic?: true;
  readonly underline?: true;
  readonly strike?: true;
  readonly inverse?: true;
}

/** A part of a row. Its text is clean and has neither newline nor tab. */
export interface Piece {
  readonly text: string;
  readonly style?: Style;
}

export type Row = readonly Piece[];

export const plain = (text: string): Piece => ({ text });
export const styled = (text: string, style: Style): Piece => ({ text, style });

export const dimStyle: Style = { weight: 'dim' };
export const boldStyle: Style = { weight: 'bold' };
export const accentStyle: Style = { colour: 'accent' };
export const goodStyle: Style = { colour: 'good' };
export const badStyle: Style = { colour: 'bad' };
export const warnStyle: Style = { colour: 'warn' };

/** The pieces with a style under their own. */
export function restyled(row: Row, under: Style): Row {
  return row.map(({ text, style }) => ({ text, style: mergedStyle(under, style) }));
}

const merged = new WeakMap<Style, WeakMap<Style, Style>>();

/** One style over another. The same two give the same object, so that what is known of it can be kept. */
function mergedStyle(under: Style, over: Style | undefined): Style {
  if (over === undefined) return under;
  let known = merged.get(under);
  if (known === undefined) merged.set(under, (known = new WeakMap()));
  let both = known.get(over);
  if (both === undefined) known.set(over, (both = { ...under, ...over }));
  return both;
}
