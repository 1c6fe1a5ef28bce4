import { countColumns, cutToColumns } from '../../../../base/text-columns.ts';
import { glyphsOf, type Look } from './look.ts';
import { type ProgramColour, type RowPiece, plain, restyled, type Row, type Style, trueColour } from './style.ts';
import { themeOf } from './themes.ts';

const reset = '\u001B[0m';

/** Draws a row for the terminal: at most `width` columns, with no style left open at its end. */
export function drawRow(row: Row, look: Look): string {
  let drawn = '';
  let open = '';
  let isBare = true;
  for (const { text, style } of beginningOfRow(row, look.width)) {
    if (text === '') continue;
    const codes = style === undefined ? '' : sgrCodes(style, look);
    if (codes !== open) {
      isBare = false;
      drawn += codes === '' ? reset : `\u001B[${open === '' ? '' : '0;'}${codes}m`;
      open = codes;
    }
    drawn += text;
  }
  if (isBare) return drawn.trim() === '' ? '' : drawn;
  return open === '' ? drawn : drawn + reset;
}

export const drawRows = (rows: readonly Row[], look: Look): readonly string[] => rows.map((row) => drawRow(row, look));

export function filledRow(row: Row, width: number, under: Style): Row {
  const blanks = width - rowColumns(row);
  return restyled(blanks > 0 ? [...row, { text: ' '.repeat(blanks) }] : row, under);
}

export function cutLine(line: string, columns: number, look: Pick<Look, 'glyphs'>): string {
  if (countColumns(line) <= columns) return line;
  const { ellipsis } = glyphsOf(look);
  const room = columns - ellipsis.length;
  return room < 0 ? ellipsis.slice(0, Math.max(0, columns)) : cutToColumns(line, room) + ellipsis;
}

export const rowColumns = (row: Row): number => row.reduce((columns, { text }) => columns + countColumns(text), 0);

export function beginningOfRow(row: Row, columns: number): Row {
  if (rowColumns(row) <= columns) return row;
  const kept: RowPiece[] = [];
  let left = columns;
  for (const piece of row) {
    const text = cutToColumns(piece.text, left);
    if (text !== '') kept.push({ ...piece, text });
    left -= countColumns(text);
    if (text.length < piece.text.length) break;
  }
  return kept;
}

/** Cuts a row to fit, with a sign at the end if there was more. */
export function cutRow(row: Row, columns: number, look: Pick<Look, 'glyphs'>): Row {
  if (rowColumns(row) <= columns) return row;
  const { ellipsis } = glyphsOf(look);
  const kept = beginningOfRow(row, Math.max(0, columns - ellipsis.length));
  const { style } = kept.at(-1) ?? {};
  const mark = ellipsis.slice(0, Math.max(0, columns));
  return [...kept, style === undefined ? plain(mark) : { text: mark, style }];
}

export const drawCutRow = (row: Row, look: Look): string => drawRow(cutRow(row, look.width, look), look);
/** Cached style codes for the newest look: rows mostly repeat a few styles. */
let known: { readonly look: Pick<Look, 'colours' | 'palette'>; readonly codes: WeakMap<Style, string> } | undefined;

/** SGR codes of a style, without the sequence around them. Empty: none. */
function sgrCodes(style: Style, look: Look): string {
  if (look.colours === 'none') return '';
  if (known?.look.colours !== look.colours || known.look.palette !== look.palette)
    known = { look: { colours: look.colours, palette: look.palette }, codes: new WeakMap() };
  const kept = known.codes.get(style);
  if (kept !== undefined) return kept;
  const codes = codesOf(style, look);
  known.codes.set(style, codes);
  return codes;
}

function codesOf(style: Style, look: Look): string {
  const codes: readonly (number | string | false | undefined)[] = [
    style.weight === 'bold' && 1,
    style.weight === 'dim' && themeOf(look.palette).hasDim && 2,
    style.italic && 3,
    style.underline && 4,
    style.inverse && 7,
    style.strike && 9,
    inkCodes(style, look),
    groundCodes(style, look),
  ];
  return codes.filter(Boolean).join(';');
}

export const hasBackgroundColours = ({ colours, palette }: Look): boolean =>
  (colours === '256' || colours === 'true') && themeOf(palette).grounds.tint !== undefined;

function inkCodes({ colour }: Style, { colours, palette }: Look): string {
  if (colour === undefined) return '';
  if (typeof colour === 'number') return givenCodes(colour, colours, 'ink');
  const ink = themeOf(palette).inks[colour];
  if (ink === undefined) return '';
  const [sixteen, indexed, full] = ink;
  if (colours === 'true' && full !== undefined) return `38;${fullCodes(full)}`;
  return colours !== 'sixteen' && indexed !== undefined ? `38;5;${indexed}` : String(sixteen);
}

function groundCodes({ back }: Style, look: Look): string {
  if (back === undefined) return '';
  if (typeof back === 'number') return givenCodes(back, look.colours, 'ground');
  const ground = hasBackgroundColours(look) ? themeOf(look.palette).grounds[back] : undefined;
  if (ground === undefined) return '';
  const [indexed, full] = ground;
  return look.colours === 'true' ? `48;${fullCodes(full)}` : `48;5;${indexed}`;
}

const fullCodes = (full: number): string => `2;${full >> 16};${(full >> 8) & 255};${full & 255}`;

/** The nearest terminal colour to a program's colour. Sixteen colours have none that is near. */
function givenCodes(colour: ProgramColour, colours: Look['colours'], place: 'ink' | 'ground'): string {
  const start = place === 'ink' ? 38 : 48;
  if (colour >= trueColour && colours === 'true') return `${start};${fullCodes(colour - trueColour)}`;
  const indexed = colour >= trueColour ? nearestIndexed(colour - trueColour) : colour;
  if (indexed < 16) return String((indexed < 8 ? start - 8 : start + 44) + indexed);
  return colours === 'sixteen' ? '' : `${start};5;${indexed}`;
}

/** Index of the nearest colour in the cube of 6 by 6 by 6 colours. */
export function nearestIndexed(full: number): number {
  const level = (value: number): number =>
    value < 48 ? 0 : value < 115 ? 1 : Math.min(5, Math.floor((value - 35) / 40));
  return 16 + 36 * level(full >> 16) + 6 * level((full >> 8) & 255) + level(full & 255);
}

export function drawnColumns(row: string): number {
  // oxlint-disable-next-line no-control-regex -- our own styles
  return countColumns(row.replaceAll(/\u001B\[[\d;]*m/g, ''));
}

/** At most `most` rows, including the one at `at`. */
export function rowsAround<Each>(rows: readonly Each[], at: number, most: number): readonly Each[] {
  const from = Math.max(0, Math.min(at - Math.floor(most / 2), rows.length - most));
  return rows.slice(from, from + most);
}
