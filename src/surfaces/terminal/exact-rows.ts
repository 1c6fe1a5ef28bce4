import { fittingPart } from './wrap.ts';

/**
 * A line that the user is asked to allow, in rows that fit, broken between words where there are any. No blank of it is
 * lost: those at a break begin the next row, where they are seen. So no two lines have the same rows.
 */
export function exactRows(line: string, width: number): readonly string[] {
  const room = Math.max(1, width);
  const rows: string[] = [];
  let rest = line;
  for (;;) {
    const { length } = fittingPart(rest, room);
    if (length === rest.length) return [...rows, rest];
    const blanks = rest.slice(0, length + 1).search(/ +[^ ]*$/);
    const at = blanks > length / 2 ? blanks : length;
    rows.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
}
