import { countColumns } from '../../../base/text-columns.ts';
import { visibleText } from '../../views/terminal/visible-text.ts';
import { type Draft, graphemesOf } from './draft.ts';

export type DraftRow = { readonly start: number; readonly end: number };
export type ClusterMeasure = (cluster: string) => number;
/** A draft does not align tabs to stops. */
const tabWidth = 4;
const columns = (cluster: string, measure: ClusterMeasure): number => (cluster === '\t' ? tabWidth : measure(cluster));

export function draftRows(text: string, width: number, measure: ClusterMeasure): readonly DraftRow[] {
  const rows: DraftRow[] = [];
  let from = 0;
  const known =
    text.length > longDraft && laidOut.width === width && laidOut.measure === measure ? laidOut.lines : none;
  const lines = new Map<string, readonly DraftRow[]>();
  for (const line of text.split('\n')) {
    const own = known.get(line) ?? lines.get(line) ?? lineRows(line, Math.max(1, width), measure);
    lines.set(line, own);
    for (const { start, end } of own) rows.push({ start: start + from, end: end + from });
    from += line.length + 1;
  }
  if (text.length > longDraft) laidOut = { width, measure, lines };
  return rows;
}

/** Drafts longer than this reuse the layout of unchanged lines. */
const longDraft = 2000;
const none: ReadonlyMap<string, readonly DraftRow[]> = new Map();

/** Layout of the last long draft: a key changes one line. */
let laidOut: {
  readonly width: number;
  readonly measure: ClusterMeasure;
  readonly lines: ReadonlyMap<string, readonly DraftRow[]>;
} = { width: 0, measure: () => 0, lines: none };

function lineRows(line: string, width: number, measure: ClusterMeasure): readonly DraftRow[] {
  const rows: DraftRow[] = [];
  let [start, at, used, breakAt] = [0, 0, 0, 0];
  for (const cluster of graphemesOf(line)) {
    const size = columns(cluster, measure);
    if (used + size > width && at > start) {
      const end = breakAt > start ? breakAt : at;
      rows.push({ start, end });
      start = end;
      used = widthOfText(line.slice(start, at), measure);
    }
    at += cluster.length;
    used += size;
    if (cluster === ' ' || cluster === '\t') breakAt = at;
  }
  rows.push({ start, end: line.length });
  return rows;
}

function widthOfText(text: string, measure: ClusterMeasure): number {
  let width = 0;
  for (const cluster of graphemesOf(text)) width += columns(cluster, measure);
  return width;
}

export function cursorRowAndColumn({ text, cursor }: Draft, rows: readonly DraftRow[], measure: ClusterMeasure) {
  // A position between two rows of one line belongs to the second.
  const last = rows.findLastIndex(({ start }) => start <= cursor);
  const row = Math.max(0, last);
  return { row, column: widthOfText(text.slice(rows[row]?.start ?? 0, cursor), measure) };
}

export function positionAtColumn(text: string, row: DraftRow, column: number, measure: ClusterMeasure): number {
  let [at, used] = [row.start, 0];
  for (const cluster of graphemesOf(text.slice(row.start, row.end))) {
    const size = columns(cluster, measure);
    if (used + size > column) break;
    used += size;
    at += cluster.length;
  }
  return at;
}

/** A part of a draft with a sign for every hidden character: the user must see all that is sent or run. */
export const visibleDraftText = (text: string): string =>
  visibleText(text).replaceAll('\t', ' '.repeat(tabWidth)).replaceAll('\n', ' ');

export const countDraftColumns = (cluster: string): number => countColumns(visibleText(cluster));
