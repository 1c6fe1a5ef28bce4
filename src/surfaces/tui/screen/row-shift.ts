/** Rows `from` to `to` (without it) move: down where `by` is above 0, else up. */
export interface RowShift {
  readonly from: number;
  readonly to: number;
  readonly by: number;
}

/** What the sequences of a shift cost, about. */
const leastGain = 24;
/** What it costs to go to a row and to erase it. */
const perRow = 4;

/**
 * How most of the rows that are wanted come out of those that are there, if they are moved before the rest is written.
 * Both have as many. Undefined: moving is not worth it.
 */
export function findShift(old: readonly string[], next: readonly string[]): RowShift | undefined {
  let from = 0;
  while (from < next.length && old[from] === next[from]) from++;
  const by = mostlyMovedBy(old, next, from);
  if (by === undefined) return undefined;
  // The run of rows for which the move gains most, against leaving all where they are.
  let best = { gain: 0, from: 0, to: 0 };
  let run = { gain: 0, from };
  for (let at = from; at < next.length; at++) {
    const source = at - by;
    const row = next[at] ?? '';
    const isMoved = source >= from && source < old.length && old[source] === row;
    const gain = row.length + perRow;
    const change = (isMoved ? gain : 0) - (old[at] === row ? gain : 0);
    run = run.gain <= 0 ? { gain: change, from: at } : { gain: run.gain + change, from: run.from };
    if (run.gain > best.gain) best = { ...run, to: at + 1 };
  }
  if (best.gain < leastGain) return undefined;
  return by > 0 ? { from: best.from - by, to: best.to, by } : { from: best.from, to: best.to - by, by };
}

/** By how many rows most of the text moved. */
function mostlyMovedBy(old: readonly string[], next: readonly string[], from: number): number | undefined {
  const places = new Map<string, number[]>();
  for (let at = from; at < old.length; at++) {
    const row = old[at] ?? '';
    if (row === '') continue;
    const known = places.get(row);
    if (known === undefined) places.set(row, [at]);
    else known.push(at);
  }
  const votes = new Map<number, number>();
  for (let at = from; at < next.length; at++) {
    const row = next[at] ?? '';
    for (const place of places.get(row) ?? []) votes.set(at - place, (votes.get(at - place) ?? 0) + row.length);
  }
  let most = 0;
  let by: number | undefined;
  for (const [shift, weight] of votes) if (shift !== 0 && weight > most) [by, most] = [shift, weight];
  return by;
}

/** The rows after a shift. What comes in is blank. */
export function shifted(rows: readonly string[], { from, to, by }: RowShift): readonly string[] {
  const blank = Array.from({ length: Math.abs(by) }, () => '');
  const moved = by > 0 ? [...blank, ...rows.slice(from, to - by)] : [...rows.slice(from - by, to), ...blank];
  return [...rows.slice(0, from), ...moved, ...rows.slice(to)];
}

/** What a shift is made of, in this order: lines that a terminal inserts above a row, or takes away from it on. */
export interface LineMove {
  readonly row: number;
  readonly lines: number;
  readonly move: 'insert' | 'delete';
}

/** Below the rows there is nothing, so none has to be put back where they end. */
export function lineMoves(rows: readonly string[], { from, to, by }: RowShift): readonly LineMove[] {
  const lines = Math.abs(by);
  const isBlank = rows.slice(to - lines, to).every((row) => row === '');
  const atEnd = to === rows.length;
  if (by < 0) {
    const close: LineMove = { row: to - lines, lines, move: 'insert' };
    return [{ row: from, lines, move: 'delete' }, ...(atEnd ? [] : [close])];
  }
  const open: LineMove = { row: to - lines, lines, move: 'delete' };
  return [...(atEnd && isBlank ? [] : [open]), { row: from, lines, move: 'insert' }];
}

export function lineMoveText({ lines, move }: LineMove): string {
  return `\u001B[${lines === 1 ? '' : lines}${move === 'insert' ? 'L' : 'M'}`;
}
