import type { TextLook, Span } from './look.ts';
import { fit } from './text-width.ts';

/** A part of a whole, and how it is drawn: by its colour, and by its letter where there is no colour. */
export interface BarPart {
  readonly amount: number;
  readonly letter: string;
  readonly look: TextLook;
}

/** Parts of a whole side by side in so many columns. A part that is not nothing gets at least one. */
export function stackedBar(
  parts: readonly BarPart[],
  { whole, width, color }: { readonly whole: number; readonly width: number; readonly color: boolean },
): readonly Span[] {
  const columns = shareColumns(
    parts.map(({ amount }) => amount),
    Math.max(whole, 1),
    width,
  );
  const free = Math.max(0, width - columns.reduce((sum, each) => sum + each, 0));
  return [
    ...parts.map(({ letter, look }, at): Span => ({ look, text: (color ? '█' : letter).repeat(columns[at]!) })),
    { look: 'dim', text: (color ? '░' : '.').repeat(free) },
  ];
}

/** How much of a work is done: `[######....] 3/5`. */
export function progressText(
  label: string,
  {
    done,
    total,
    width,
    amount = String,
  }: {
    readonly done: number;
    readonly total: number;
    readonly width: number;
    readonly amount?: (value: number) => string;
  },
): string {
  const counted = `${amount(done)}/${amount(total)}`;
  const room = Math.min(30, width - label.length - counted.length - 4);
  if (room < 5) return fit(`${label} ${counted}`, width);
  const filled = total === 0 ? room : Math.floor((done / total) * room);
  return `${label} [${'#'.repeat(filled)}${'.'.repeat(room - filled)}] ${counted}`;
}

/** Columns for each amount: the largest remainders are rounded up, and what exceeds the width is taken from the widest. */
export function shareColumns(amounts: readonly number[], whole: number, width: number): readonly number[] {
  const exact = amounts.map((amount) => (amount / whole) * width);
  const columns = exact.map((share) => (share > 0 ? Math.max(1, Math.round(share)) : 0));
  const wanted = Math.min(width, Math.round(exact.reduce((sum, share) => sum + share, 0)));
  for (let excess = columns.reduce((sum, each) => sum + each, 0) - wanted; excess > 0; excess--) {
    const widest = columns.indexOf(Math.max(...columns));
    if (columns[widest]! <= 1) break;
    columns[widest]!--;
  }
  return columns;
}
