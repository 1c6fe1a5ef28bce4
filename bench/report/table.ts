import { formatNumber } from './format-number.ts';
import type { Goal } from './goals.ts';
import { marks, rowNames } from './marks.ts';
import type { Summary } from './summary.ts';

export type Cells = readonly string[];

export interface Table {
  readonly head: Cells;
  readonly rows: readonly Cells[];
}

/** One row per mark and contender; the mark stands at its first row only. */
export function summaryTable(summary: Summary): Table {
  const rows = marks.flatMap(({ id, title, unit }) =>
    (summary.get(id) ?? []).map((row, index) => [
      index === 0 ? title : '',
      rowNames[row.id],
      `${formatNumber(row.median)} ${unit}`,
      row.spread === undefined ? '' : `${formatNumber(row.spread.p10)} – ${formatNumber(row.spread.p90)}`,
      row.spread === undefined ? '' : formatNumber(row.spread.p95),
      times(row.ofCodex),
      times(row.ofFloor),
    ]),
  );
  return { head: ['Mark', 'Contender', 'Median', 'p10 – p90', 'p95', 'Of Codex', 'Of floor'], rows };
}

export function goalTable(goals: readonly Goal[]): Table {
  const rows = goals.map(({ text, value, limit, unit, verdict }) => [
    text,
    `≤ ${limit} ${unit}`,
    value === undefined ? '' : `${formatNumber(value)} ${unit}`,
    verdict,
  ]);
  return { head: ['Goal', 'Limit', 'This run', ''], rows };
}

export function markdownTable({ head, rows }: Table): string {
  const line = (cells: Cells): string => `| ${cells.join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}

/** Columns of equal width, for a terminal. */
export function plainTable({ head, rows }: Table): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((cells) => cells[column]?.length ?? 0)));
  const line = (cells: Cells): string =>
    `${cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()}\n`;
  return line(head) + line(widths.map((width) => '─'.repeat(width))) + rows.map(line).join('');
}

function times(ratio: number | undefined): string {
  return ratio === undefined ? '' : `${formatNumber(ratio)} ×`;
}
