import { clustersOf, isSingle } from '../../../base/columns.ts';

/** A character of a drawn row, with the marks that belong to it. */
export interface RowCell {
  readonly text: string;
  readonly columns: number;
  /** Whether all terminals give it as many columns. They differ about pictures and about signs put together of several. */
  readonly isSure: boolean;
  /** The sequences that give it its style. */
  readonly style: string;
  /** Where it begins in the row. */
  readonly at: number;
}

/** Chinese, Japanese and Korean characters that stand alone. */
const wide =
  /^[\u3001-\u3003\u3008-\u3011\u3041-\u3096\u30A1-\u30FA\u30FC\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7A3\uFF01-\uFF60]$/;
// oxlint-disable-next-line no-control-regex -- our own styles
const sequence = /\u001B\[([\d;]*)m/g;

/** Undefined: the row has more in it than text and styles. */
export function rowCells(row: string): readonly RowCell[] | undefined {
  const cells: RowCell[] = [];
  let style = '';
  let at = 0;
  const read = (end: number): boolean => {
    const text = row.slice(at, end);
    if (text.includes('\u001B')) return false;
    const isPlain = isSingle(text);
    for (const cluster of clustersOf(text)) {
      const isSure = isPlain || isSingle(cluster.text) || wide.test(cluster.text);
      cells.push({ ...cluster, isSure, style, at });
      at += cluster.text.length;
    }
    return true;
  };
  for (const found of row.matchAll(sequence)) {
    if (!read(found.index)) return undefined;
    at += found[0].length;
    style = styleAfter(style, found[0], found[1] ?? '');
  }
  return read(row.length) ? cells : undefined;
}

/** A sequence that begins with a reset takes away all that came before it. */
function styleAfter(style: string, whole: string, codes: string): string {
  if (codes === '' || codes === '0') return '';
  return codes.startsWith('0;') ? `\u001B[${codes.slice(2)}m` : style + whole;
}
