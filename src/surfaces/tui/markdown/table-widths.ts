/** What is known of a column: the columns of its longest cell and of its longest word, and whether it holds prose. */
export interface ColumnMeasure {
  readonly natural: number;
  readonly word: number;
  /** `token`: paths, addresses, digests. `short`: values that are never broken. */
  readonly kind: 'short' | 'token' | 'prose';
}

const [shortColumns, leastToken, leastProse, longestWord] = [12, 12, 10, 16];

/**
 * The columns of each column of a table in the room there is. Long tokens give way first, then prose; short values
 * never do. Undefined: values would break to pieces.
 */
export function tableWidths(measures: readonly ColumnMeasure[], room: number): readonly number[] | undefined {
  const widths = measures.map(({ natural }) => natural);
  for (const kind of ['token', 'prose'] as const) {
    let over = sum(widths) - room;
    while (over > 0) {
      const widest = widestOf(widths, measures, kind);
      if (widest < 0) break;
      widths[widest]! -= 1;
      over -= 1;
    }
  }
  return sum(widths) > room ? undefined : widths;
}

function widestOf(widths: readonly number[], measures: readonly ColumnMeasure[], kind: ColumnMeasure['kind']): number {
  let widest = -1;
  for (const [at, measure] of measures.entries()) {
    if (measure.kind !== kind || widths[at]! <= leastOf(measure)) continue;
    if (widest < 0 || widths[at]! > widths[widest]!) widest = at;
  }
  return widest;
}

function leastOf({ natural, word, kind }: ColumnMeasure): number {
  if (kind === 'token') return Math.min(natural, leastToken);
  return Math.min(natural, Math.max(leastProse, Math.min(word, longestWord)));
}

export function measureColumn(cells: readonly { readonly columns: number; readonly word: number }[]): ColumnMeasure {
  const natural = Math.max(1, ...most(cells.map(({ columns }) => columns)));
  const word = Math.max(1, ...most(cells.map((cell) => cell.word)));
  if (natural <= shortColumns) return { natural, word, kind: 'short' };
  return { natural, word, kind: word > longestWord ? 'token' : 'prose' };
}

/** Of any number of cells: arguments of a call are limited. */
function most(numbers: readonly number[]): readonly number[] {
  return [numbers.reduce((largest, each) => Math.max(largest, each), 0)];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
