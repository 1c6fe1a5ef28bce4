import { beginningOf, columnsOf } from '../../base/columns.ts';

/** The text, or as much of it as fits, with a sign at its end that there was more. */
export function fit(text: string, width: number): string {
  if (columnsOf(text) <= width) return text;
  return width <= 0 ? '' : `${beginningOf(text, width - 1)}…`;
}

/** Padded on the right, or on the left, to so many columns. */
export function pad(text: string, width: number, side: 'left' | 'right' = 'right'): string {
  const blanks = ' '.repeat(Math.max(0, width - columnsOf(text)));
  return side === 'right' ? text + blanks : blanks + text;
}
