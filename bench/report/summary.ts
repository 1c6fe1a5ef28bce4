import { type MarkId, marks, type RowId } from './marks.ts';
import { type Distribution, distribution } from './statistics.ts';

/** The measurements, in the unit of the mark. */
export type Samples = ReadonlyMap<MarkId, ReadonlyMap<RowId, readonly number[]>>;

export interface Row {
  readonly id: RowId;
  readonly median: number;
  /** Absent for a difference of medians. */
  readonly spread?: Pick<Distribution, 'p10' | 'p90' | 'p95' | 'count'>;
  readonly ofCodex?: number;
  readonly ofFloor?: number;
}

export type Summary = ReadonlyMap<MarkId, readonly Row[]>;

export function summarise(samples: Samples): Summary {
  const summary = new Map<MarkId, readonly Row[]>();
  for (const { id } of marks) {
    const rows = id === 'extra-1m' ? extraRows(summary) : measuredRows(samples.get(id) ?? new Map());
    if (rows.length > 0) summary.set(id, withRatios(rows));
  }
  return summary;
}

export function medianOf(summary: Summary, mark: MarkId, row: RowId): number | undefined {
  return summary.get(mark)?.find(({ id }) => id === row)?.median;
}

function measuredRows(measured: ReadonlyMap<RowId, readonly number[]>): readonly Row[] {
  return [...measured].map(([id, numbers]) => {
    const { median, ...spread } = distribution(numbers);
    return { id, median, spread };
  });
}

function extraRows(summary: Summary): readonly Row[] {
  return (summary.get('round-trip-1m') ?? []).flatMap(({ id, median }): Row[] => {
    const short = medianOf(summary, 'round-trip-10k', id);
    return short === undefined ? [] : [{ id, median: median - short }];
  });
}

/** For `--version` the floor is Node itself, for a step a copy of the body, for a sandboxed command the bare one. A difference below zero is noise, and no ratio can be made of it. */
function withRatios(rows: readonly Row[]): readonly Row[] {
  const codex = rows.find(({ id }) => id === 'codex')?.median;
  const floor = rows.find(({ id }) => floors.has(id))?.median;
  return rows.map((row) => ({
    ...row,
    ...(isRatio(row.median, codex) ? { ofCodex: row.median / codex } : {}),
    ...(isRatio(row.median, floor) ? { ofFloor: row.median / floor } : {}),
  }));
}

const floors: ReadonlySet<RowId> = new Set(['floor', 'node', 'copy', 'bare']);

function isRatio(value: number, base: number | undefined): base is number {
  return value >= 0 && base !== undefined && base > 0;
}
