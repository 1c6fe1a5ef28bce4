import { cleanText, withoutTabs } from './clean-text.ts';
import type { Look } from './look.ts';
import { type ColourRole, type RowPiece, plain, type Row, type Style, trueColour } from './style.ts';
import { wrappedRows } from './wrap-row.ts';

/** Parses colours of a program's output; the state carries over from line to line. */
export class OutputColours {
  #style: Style = none;
  /** Cache of styles by sequence, as outputs repeat a few of them. */
  readonly #known = new Map<string, Style>();

  read(line: string): Row {
    if (!line.includes('\u001B[')) return this.#pieces(line);
    const row: RowPiece[] = [];
    let from = 0;
    for (const found of line.matchAll(/\x1b\[([0-9;:]{0,100})m/g)) {
      row.push(...this.#pieces(line.slice(from, found.index)));
      this.#change(found[1] ?? '');
      from = found.index + found[0].length;
    }
    row.push(...this.#pieces(line.slice(from)));
    return row;
  }

  #change(parameters: string): void {
    if (this.#style !== none) {
      this.#style = changed(this.#style, parameters);
      return;
    }
    let style = this.#known.get(parameters);
    if (style === undefined) this.#known.set(parameters, (style = changed(none, parameters)));
    this.#style = style;
  }

  #pieces(part: string): Row {
    const text = withoutTabs(cleanText(part), tabColumns).replaceAll('\n', ' ');
    if (text === '') return [];
    return [this.#style === none ? plain(text) : { text, style: this.#style }];
  }
}

const tabColumns = 8;
const none: Style = {};

const switches: Readonly<Record<number, Style>> = {
  1: { weight: 'bold' },
  2: { weight: 'dim' },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  9: { strike: true },
};

const ends: Readonly<Record<number, keyof Style>> = {
  22: 'weight',
  23: 'italic',
  24: 'underline',
  27: 'inverse',
  29: 'strike',
  39: 'colour',
  49: 'back',
};

function changed(style: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map(Number);
  let next: Style = style;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 0) next = none;
    else if (code === 38 || code === 48) {
      const { colour, taken } = longColour(codes, at + 1);
      if (colour !== undefined) next = { ...next, [code === 38 ? 'colour' : 'back']: colour };
      at += taken;
    } else if (Object.hasOwn(switches, code)) next = { ...next, ...switches[code] };
    else if (Object.hasOwn(ends, code)) next = without(next, ends[code]!);
    else next = { ...next, ...shortColour(code) };
  }
  return Object.keys(next).length === 0 ? none : next;
}

function without(style: Style, key: keyof Style): Style {
  const { [key]: _, ...rest } = style;
  return rest;
}

function shortColour(code: number): Style {
  if (code >= 30 && code <= 37) return { colour: code - 30 };
  if (code >= 90 && code <= 97) return { colour: code - 82 };
  if (code >= 40 && code <= 47) return { back: code - 40 };
  return code >= 100 && code <= 107 ? { back: code - 92 } : {};
}

/** Reads `5;N` or `2;R;G;B`. `taken`: the number of codes that it consists of. */
function longColour(codes: readonly number[], at: number): { readonly colour?: number; readonly taken: number } {
  const isByte = (value: number | undefined): value is number => value !== undefined && value >= 0 && value <= 255;
  const [form, first, green, blue] = codes.slice(at, at + 4);
  if (form === 5) return isByte(first) ? { colour: first, taken: 2 } : { taken: 2 };
  if (form !== 2) return { taken: 1 };
  if (!isByte(first) || !isByte(green) || !isByte(blue)) return { taken: 4 };
  return { colour: trueColour + (first << 16) + (green << 8) + blue, taken: 4 };
}

const roles: Readonly<Record<number, ColourRole>> = { 1: 'bad', 2: 'good', 3: 'warn', 5: 'special', 6: 'accent' };

/** Wraps a coloured page to the screen and draws it in the theme's colours. Leaves no text out. */
export function paintedRows(page: string, look: Look): readonly string[] {
  const colours = new OutputColours();
  const lines = page.replace(/\n$/, '').split('\n');
  const rows = lines.map((line) => themed(colours.read(line)));
  return wrappedRows(rows, look, 'anywhere');
}

const themed = (row: Row): Row =>
  row.map((piece) => {
    const colour = typeof piece.style?.colour === 'number' ? roles[piece.style.colour] : undefined;
    return colour === undefined ? piece : { ...piece, style: { ...piece.style, colour } };
  });
