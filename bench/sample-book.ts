import type { MarkId, RowId } from './report/marks.ts';
import type { Samples } from './report/summary.ts';

/** Collects what is measured, in the order in which contenders first appear. */
export class SampleBook {
  readonly #samples = new Map<MarkId, Map<RowId, number[]>>();

  get samples(): Samples {
    return this.#samples;
  }

  add(mark: MarkId | undefined, row: RowId, numbers: readonly number[]): void {
    if (mark === undefined) return;
    const rows = this.#samples.get(mark) ?? new Map<RowId, number[]>();
    this.#samples.set(mark, rows);
    rows.set(row, [...(rows.get(row) ?? []), ...numbers]);
  }

  /** Forgets a contender that failed: half a series is none. */
  remove(mark: MarkId, row: RowId): void {
    this.#samples.get(mark)?.delete(row);
  }
}
