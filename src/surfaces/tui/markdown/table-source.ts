import type { Alignment } from './leaf.ts';

/** The cells of a row, without the pipes around it. */
export function cellsOf(row: string): readonly string[] {
  const inner = row.trim().replace(/^\|/, '');
  const cells = inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
  if (cells.length > 1 && cells.at(-1) === '') cells.pop();
  return cells;
}

const longestRow = 10_000;

/** What the row under the header says about the columns. Undefined: the lines are no table. */
export function alignmentsOf(header: string, row: string): readonly Alignment[] | undefined {
  const line = row.trim();
  if (!header.includes('|') || line.length > longestRow || header.length > longestRow) return undefined;
  if (!/^\|? *:?-+:? *(?:\| *:?-+:? *)*\|?$/.test(line)) return undefined;
  const cells = cellsOf(line);
  if (cells.length !== cellsOf(header).length) return undefined;
  return cells.map((cell) => (cell.endsWith(':') ? (cell.startsWith(':') ? 'centre' : 'right') : 'left'));
}
