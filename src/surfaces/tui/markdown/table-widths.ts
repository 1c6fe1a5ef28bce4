/** The columns of a column's longest line and of its longest word. */
export interface ColumnMeasure {
  readonly natural: number;
  readonly word: number;
}

const [shortColumns, leastToken, leastProse, easyProse, longestWord] = [12, 12, 10, 24, 16];

/**
 * The columns of each column of a table in the room there is. Prose gives way while it is easy to read, then long words
 * (paths, addresses, digests), then prose again; short values never do. Undefined: values would break to pieces.
 */
export function tableWidths(measures: readonly ColumnMeasure[], room: number): readonly number[] | undefined {
  const widths = measures.map(({ natural }) => natural);
  const leasts = measures.map(leastWidths);
  for (const step of [0, 1, 2] as const) {
    const least = leasts.map((each) => each[step]);
    for (let over = sum(widths) - room; over > 0; over -= 1) {
      const widest = widestOf(widths, least);
      if (widest < 0) break;
      widths[widest]! -= 1;
    }
  }
  return sum(widths) > room ? undefined : widths;
}

function widestOf(widths: readonly number[], least: readonly number[]): number {
  let widest = -1;
  for (const [at, width] of widths.entries()) {
    if (width > least[at]! && (widest < 0 || width > widths[widest]!)) widest = at;
  }
  return widest;
}

/** How narrow a column may become in each step. */
function leastWidths({ natural, word }: ColumnMeasure): readonly [number, number, number] {
  if (natural <= shortColumns) return [natural, natural, natural];
  const easy = Math.min(natural, Math.max(easyProse, word));
  return word > longestWord ? [easy, leastToken, leastToken] : [easy, easy, Math.max(leastProse, word)];
}

export function measureColumn(cells: readonly ColumnMeasure[]): ColumnMeasure {
  return {
    natural: cells.reduce((most, { natural }) => Math.max(most, natural), 1),
    word: cells.reduce((most, { word }) => Math.max(most, word), 1),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
