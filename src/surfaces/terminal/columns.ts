import { visibleLine } from './visible-text.ts';

/** Rows with their cells under each other, two spaces between them. */
export function columns(rows: readonly (readonly string[])[]): string {
  const texts = rows.map((row) => row.map(visibleLine));
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, at) => Math.max(...texts.map((row) => (row[at] ?? '').length)));
  return texts
    .map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}
