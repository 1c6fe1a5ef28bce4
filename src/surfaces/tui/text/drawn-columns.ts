import { columnsOf } from '../../../base/columns.ts';

/** Columns of a row that is drawn already. */
export function drawnColumns(row: string): number {
  // oxlint-disable-next-line no-control-regex -- our own styles
  return columnsOf(row.replaceAll(/\u001B\[[\d;]*m/g, ''));
}
