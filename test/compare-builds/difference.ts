import type { RunRecord } from './normalise.ts';

export interface Difference {
  readonly kind: RunRecord['kind'];
  readonly name: string;
  readonly diff: string;
}

/** The first record that differs, or that only one of the two has. */
export function firstDifference(old: readonly RunRecord[], fresh: readonly RunRecord[]): Difference | undefined {
  for (const [index, record] of old.entries()) {
    const other = fresh[index];
    if (other === undefined) return missing(record, 'only in OLD');
    const names = [record, other].map(({ kind, name }) => `${kind} ${name}`);
    if (names[0] !== names[1]) return { ...record, diff: `- ${names[0]}\n+ ${names[1]}` };
    const text = withEstimatesOf(record.text, other.text);
    if (record.text !== text) return { ...record, diff: unifiedDiff(record.text, text) };
  }
  const more = fresh[old.length];
  return more === undefined ? undefined : missing(more, 'only in NEW');
}

/** The new text, with the old estimates where its own are close to them. */
function withEstimatesOf(old: string, fresh: string): string {
  const estimates = [...old.matchAll(/≈([\d,]+)/g)].map(([, digits = '']) => digits);
  let index = 0;
  return fresh.replaceAll(/≈([\d,]+)/g, (mark, digits: string) => {
    const expected = estimates[index++];
    if (expected === undefined) return mark;
    const [one, other] = [expected, digits].map((text) => Number(text.replaceAll(',', ''))) as [number, number];
    return Math.abs(one - other) <= Math.max(12, one / 50) ? `≈${expected}` : mark;
  });
}

function missing(record: RunRecord, where: string): Difference {
  return { ...record, diff: `${where}:\n${record.text.slice(0, 1000)}` };
}

/** At most so many lines of each side. */
const mostLines = 8;
const contextLines = 2;
/** Characters of a line on either side of its first difference. */
const reach = 120;

/** The first place where two texts differ, with the lines around it. Long lines are cut to what differs. */
export function unifiedDiff(old: string, fresh: string): string {
  const [before, after] = [old.split('\n'), fresh.split('\n')];
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  const { removed, added } = changedLines(before.slice(start), after.slice(start));
  const column = (at: number): number => firstDifferentColumn(before[start + at] ?? '', after[start + at] ?? '');
  const changed = (mark: string, lines: readonly string[]): readonly string[] =>
    lines.slice(0, mostLines).map((line, at) => `${mark}${around(line, column(at))}`);
  const same = (lines: readonly string[]): readonly string[] => lines.map((line) => ` ${around(line, 0)}`);
  return [
    `@@ line ${start + 1} @@`,
    ...same(before.slice(Math.max(0, start - contextLines), start)),
    ...changed('-', before.slice(start, start + removed)),
    ...changed('+', after.slice(start, start + added)),
    ...same(before.slice(start + removed, start + removed + contextLines)),
  ].join('\n');
}

/** The number of lines to drop from either side until both continue alike. */
function changedLines(
  before: readonly string[],
  after: readonly string[],
): { readonly removed: number; readonly added: number } {
  const most = 40;
  for (let total = 1; total <= most; total++) {
    for (let removed = 0; removed <= total; removed++) {
      const added = total - removed;
      const isAlike = before[removed] === after[added] && before[removed] !== undefined;
      if (isAlike) return { removed, added };
    }
  }
  return { removed: Math.min(before.length, most), added: Math.min(after.length, most) };
}

function firstDifferentColumn(old: string, fresh: string): number {
  let column = 0;
  while (column < old.length && column < fresh.length && old[column] === fresh[column]) column += 1;
  return column;
}

function around(line: string, column: number): string {
  const from = Math.max(0, column - reach);
  const cut = line.slice(from, column + reach);
  return `${from > 0 ? '…' : ''}${cut}${from + cut.length < line.length ? '…' : ''}`;
}
