import type { IBufferCell, IBufferLine, Terminal } from '@xterm/headless';
import { hexOf, indexedColour, mixed, type PictureColours } from './screen-colours.ts';

const [cellWidth, rowHeight, padding, fontSize] = [7.8, 17, 12, 13];

export interface PictureOptions {
  /** The text for a screen reader: a name, then a sentence. */
  readonly title: string;
  readonly about: string;
  readonly hasCursor: boolean;
  readonly colours: PictureColours;
}

/** Cells beside each other that look the same. */
interface Run {
  readonly column: number;
  readonly columns: number;
  readonly text: string;
  readonly look: Look;
}

interface Look {
  readonly ink: string;
  readonly ground: string;
  /** Declarations besides the colour. */
  readonly more: string;
}

/** The rows that a terminal shows, as SVG. Each run has its place and its width, so that any font keeps the columns. */
export function screenPicture(terminal: Terminal, options: PictureOptions): string {
  const { title, about, hasCursor, colours } = options;
  const { baseY, cursorX, cursorY } = terminal.buffer.active;
  const lines = Array.from({ length: terminal.rows }, (_, at) => terminal.buffer.active.getLine(baseY + at));
  const rows = lines.map((line) => runsOf(line, terminal.cols, colours));
  const last = rows.findLastIndex((row) => row.some(({ text, look }) => text.trim() !== '' || look.ground !== ''));
  const shown = rows.slice(0, Math.max(last, hasCursor ? cursorY : 0) + 1);
  const names = new Map<string, string>();
  const classOf = (style: string): string => {
    const known = names.get(style) ?? `s${names.size}`;
    names.set(style, known);
    return known;
  };
  const drawn = shown.flatMap((row, at) => drawRow(row, padding + at * rowHeight, classOf));
  const width = Math.ceil(terminal.cols * cellWidth + 2 * padding);
  const height = shown.length * rowHeight + 2 * padding;
  const cursor = `<rect x="${place(cursorX)}" y="${padding + cursorY * rowHeight}" width="${cellWidth}" height="${rowHeight}" fill="${colours.text}" opacity=".55"/>`;
  const styles = [...names].map(([style, name]) => `.${name}{${style}}`).join('');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="t d" xml:space="preserve">`,
    `<title id="t">${escaped(title)}</title>`,
    `<desc id="d">${escaped(about)}</desc>`,
    `<style>text{font:${fontSize}px ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;fill:${colours.text};white-space:pre}rect{shape-rendering:crispEdges}${styles}</style>`,
    `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8" fill="${colours.ground}" stroke="${colours.edge}"/>`,
    ...drawn,
    ...(hasCursor ? [cursor] : []),
    '</svg>\n',
  ].join('\n');
}

function drawRow(row: readonly Run[], top: number, classOf: (style: string) => string): readonly string[] {
  const grounds = row
    .filter(({ look }) => look.ground !== '')
    .map(
      ({ column, columns, look }) =>
        `<rect class="${classOf(`fill:${look.ground}`)}" x="${place(column)}" y="${top}" width="${lengthOf(columns)}" height="${rowHeight}"/>`,
    );
  const texts = row
    .filter(({ text }) => text.trim() !== '')
    .map(({ column, columns, text, look: { ink, more } }) => {
      const style = [...(ink === '' ? [] : [`fill:${ink}`]), ...(more === '' ? [] : [more])].join(';');
      const named = style === '' ? '' : ` class="${classOf(style)}"`;
      // Programs differ in what they do with blanks at the ends.
      const start = text.length - text.trimStart().length;
      const length = columns - (text.length - text.trim().length);
      const wide = length > 1 ? ` textLength="${lengthOf(length)}"` : '';
      return `<text${named} x="${place(column + start)}" y="${top + fontSize}"${wide}>${escaped(text.trim())}</text>`;
    });
  return [...grounds, ...texts];
}

function runsOf(line: IBufferLine | undefined, columns: number, colours: PictureColours): readonly Run[] {
  const runs: Run[] = [];
  for (let column = 0; column < columns; column++) {
    const cell = line?.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const text = cell.getChars() === '' || cell.isInvisible() ? ' ' : cell.getChars();
    const look = lookOf(cell, colours);
    const before = runs.at(-1);
    if (before !== undefined && isSame(before.look, look) && goesOn(before.text, text)) {
      runs[runs.length - 1] = { ...before, columns: before.columns + 1, text: before.text + text };
    } else {
      runs.push({ column, columns: cell.getWidth(), text, look });
    }
  }
  return runs;
}

/** A sign that not all fonts have as wide as letters gets a place of its own, so that what follows stays in its column. */
function goesOn(before: string, sign: string): boolean {
  return /^[ -~]+$/.test(before) ? /^[ -~]$/.test(sign) : /^[\u2500-\u259F]$/.test(sign) && before.endsWith(sign);
}

function lookOf(cell: IBufferCell, colours: PictureColours): Look {
  const colour = (isRgb: boolean, isIndexed: boolean, value: number): string | undefined => {
    if (isRgb) return hexOf([value >> 16, (value >> 8) & 255, value & 255]);
    return isIndexed ? indexedColour(value, colours) : undefined;
  };
  const own = colour(cell.isFgRGB(), cell.isFgPalette(), cell.getFgColor());
  const behind = colour(cell.isBgRGB(), cell.isBgPalette(), cell.getBgColor());
  const [front, back] = cell.isInverse() ? [behind ?? colours.ground, own ?? colours.text] : [own, behind];
  const ink = cell.isDim() ? mixed(front ?? colours.text, back ?? colours.ground, 0.6) : front;
  const more = [
    ...(cell.isBold() ? ['font-weight:700'] : []),
    ...(cell.isItalic() ? ['font-style:italic'] : []),
    ...(cell.isUnderline() ? ['text-decoration:underline'] : []),
    ...(cell.isStrikethrough() ? ['text-decoration:line-through'] : []),
  ];
  return { ink: ink ?? '', ground: back ?? '', more: more.join(';') };
}

function isSame(one: Look, other: Look): boolean {
  return one.ink === other.ink && one.ground === other.ground && one.more === other.more;
}

function place(column: number): string {
  return rounded(padding + column * cellWidth);
}

function lengthOf(columns: number): string {
  return rounded(columns * cellWidth);
}

function rounded(value: number): string {
  return String(Number(value.toFixed(1)));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
