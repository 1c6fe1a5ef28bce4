import { type Grapheme, isSingleColumnText, splitGraphemes } from '../../../../base/text-columns.ts';
import { beginningOfRow, drawRow, rowColumns } from './draw-row.ts';
import type { Look } from './look.ts';
import type { RowPiece, Row } from './style.ts';

export interface WrapForm {
  readonly width: number;
  /** Prefixes of the first row and of the others. */
  readonly first?: Row;
  readonly rest?: Row;
  /** Absent: `words`. */
  readonly breaking?: Breaking;
}

export function wrapRow(row: Row, { width, first = [], rest = first, breaking = 'words' }: WrapForm): readonly Row[] {
  const [before, after] = [fitting(first, width), fitting(rest, width)];
  const line = row.length === 1 ? row[0]!.text : row.map(({ text }) => text).join('');
  const places = breakLine(line, width - rowColumns(before), width - rowColumns(after), breaking);
  if (places.length === 2 && places[1] === line.length) return [[...before, ...row]];
  const rows: Row[] = [];
  const slice = slicerOf(row);
  for (let at = 0; at < places.length; at += 2)
    rows.push([...(at === 0 ? before : after), ...slice(places[at]!, places[at + 1]!)]);
  return rows;
}

export const wrapIn = ({ width }: Pick<Look, 'width'>, row: Row, first?: Row, rest?: Row): readonly Row[] =>
  wrapRow(row, { width, first, rest });

/** Draws the lines of a page, broken where the screen ends. */
export const wrappedRows = (lines: readonly Row[], look: Look, breaking?: Breaking): readonly string[] =>
  lines.flatMap((line) => wrapRow(line, { width: look.width, breaking })).map((row) => drawRow(row, look));

/** Cuts a prefix so that at least one column, or a third of the width, is left. */
const fitting = (prefix: Row, width: number): Row =>
  prefix.length === 0 ? prefix : beginningOfRow(prefix, Math.max(0, width - Math.max(1, Math.ceil(width / 3))));

/** Cuts a row at ascending positions: each piece is visited once. */
function slicerOf(row: Row): (from: number, to: number) => readonly RowPiece[] {
  let [index, offset] = [0, 0];
  return (from, to) => {
    const pieces: RowPiece[] = [];
    for (; index < row.length; index += 1) {
      const piece = row[index]!;
      const end = offset + piece.text.length;
      const text = piece.text.slice(Math.max(0, from - offset), Math.max(0, to - offset));
      if (text !== '') pieces.push({ ...piece, text });
      if (end > to) break;
      offset = end;
    }
    return pieces;
  };
}

/** `words`: between words if there are any, so that an address stays whole. `anywhere`: where the row is full. */
type Breaking = 'words' | 'anywhere';

/** Starts and ends of the rows of a line, in turn. `first`, `rest`: columns of the first row and of the others. */
export function breakLine(line: string, first: number, rest: number, breaking: Breaking): readonly number[] {
  if (line.length <= first && isSingleColumnText(line)) return [0, line.length];
  return isSingleColumnText(line)
    ? breakSingle(line, first, rest, breaking)
    : breakClusters(line, first, rest, breaking);
}

function breakSingle(line: string, first: number, rest: number, breaking: Breaking): readonly number[] {
  const places: number[] = [];
  let [at, room] = [0, Math.max(1, first)];
  while (line.length - at > room) {
    const blank = breaking === 'words' ? lastBlank(line, at, at + room) : -1;
    const end = blank < 0 ? at + room : blank;
    places.push(at, blank < 0 ? end : trimmedEnd(line, at, end));
    at = blank < 0 ? end : afterBlanks(line, end);
    room = Math.max(1, rest);
  }
  if (at < line.length || places.length === 0) places.push(at, line.length);
  return places;
}

/** Position of the last blank that follows a word and is not after `to`; -1 if there is none. */
function lastBlank(line: string, from: number, to: number): number {
  let at = to;
  while (at > from && line.charCodeAt(at) !== 32) at -= 1;
  return trimmedEnd(line, from, at) > from ? at : -1;
}

function trimmedEnd(line: string, from: number, to: number): number {
  let end = to;
  while (end > from && line.charCodeAt(end - 1) === 32) end -= 1;
  return end;
}

function afterBlanks(line: string, from: number): number {
  let at = from;
  while (at < line.length && line.charCodeAt(at) === 32) at += 1;
  return at;
}

function breakClusters(line: string, first: number, rest: number, breaking: Breaking): readonly number[] {
  const clusters = [...splitGraphemes(line)];
  const places: number[] = [];
  let [from, at, room] = [0, 0, Math.max(1, first)];
  while (from < clusters.length) {
    const full = fullRow(clusters, from, room);
    const end = full === clusters.length || breaking === 'anywhere' ? full : wordEnd(clusters, from, full);
    const to = at + lengthOf(clusters, from, end);
    const isLast = end === clusters.length;
    places.push(at, breaking === 'words' && !isLast ? trimmedEnd(line, at, to) : to);
    [from, at, room] = [end, to, Math.max(1, rest)];
    if (breaking === 'anywhere') continue;
    while (from < clusters.length && clusters[from]!.text === ' ') [from, at] = [from + 1, at + 1];
  }
  return places.length === 0 ? [0, 0] : places;
}

/** Position after the last cluster that fits. Takes at least one cluster, so that wrapping terminates. */
function fullRow(clusters: readonly Grapheme[], from: number, room: number): number {
  let [end, used] = [from, 0];
  while (end < clusters.length && (end === from || used + clusters[end]!.columns <= room)) {
    used += clusters[end]!.columns;
    end += 1;
  }
  // Marks without columns stay with their base.
  while (end < clusters.length && clusters[end]!.columns === 0) end += 1;
  return end;
}

/** Position of the last word end up to `full`. Scripts without blanks may break at each wide character. */
function wordEnd(clusters: readonly Grapheme[], from: number, full: number): number {
  let hasWord = false;
  for (let at = from; at < full && !hasWord; at += 1) hasWord = clusters[at]!.text !== ' ';
  for (let at = full; at > from; at -= 1) {
    const [before, after] = [clusters[at - 1]!, clusters[at]!];
    const isBetween = before.text !== ' ' && (after.text === ' ' || before.columns === 2 || after.columns === 2);
    if (isBetween && hasWord) return at;
  }
  return full;
}

function lengthOf(clusters: readonly Grapheme[], from: number, to: number): number {
  let length = 0;
  for (let at = from; at < to; at += 1) length += clusters[at]!.text.length;
  return length;
}
