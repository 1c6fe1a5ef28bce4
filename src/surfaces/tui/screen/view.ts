import type { KeyGroup } from './keys/key-map.ts';
import type { TerminalInput } from './terminal/terminal-port.ts';
import type { Look } from './text/look.ts';

/** Something that stands in the place of the composer and has the keyboard. It is closed by who opened it. */
export interface View {
  /** At most `height` rows. */
  frame(look: Look, height: number): Frame;
  input(input: TerminalInput): void;
  /** Which keys it has; `raw`: as they are pressed. Absent: those of a list, or of a pager if it has the whole screen. */
  readonly keys?: KeyGroup | 'raw' | undefined;
  /** What it asks now, where it asks one thing after the other: each has to be in sight before a key answers it. */
  readonly asks?: unknown;
  /** Keys that only show more of what is asked, or another part: they answer nothing. */
  readonly looks?: readonly string[];
  /** It gives all input its meaning itself, but for the key that suspends. */
  readonly hasController?: true;
  /** A key that types a character types. */
  readonly takesText?: boolean;
}

/** What stands on the live part of a screen. Rows are styled by SGR only and fit the width. */
export interface Frame {
  readonly rows: readonly string[];
  /** Where the cursor stands, from 0. Absent: it is hidden. */
  readonly cursor?: FramePlace;
}

interface FramePlace {
  readonly row: number;
  readonly column: number;
}

export const noFrame: Frame = { rows: [] };

/** The last rows of a frame, as many as fit. The cursor stays in sight. */
export function fitFrame({ rows, cursor }: Frame, height: number): Frame {
  const over = rows.length - Math.max(1, height);
  if (over <= 0) return cursor === undefined ? { rows } : { rows, cursor };
  const from = cursor === undefined ? over : Math.min(over, cursor.row);
  const shown = rows.slice(from, from + Math.max(1, height));
  return cursor === undefined ? { rows: shown } : { rows: shown, cursor: { ...cursor, row: cursor.row - from } };
}

/** The frame with rows above it. */
export function frameBelow(above: readonly string[], { rows, cursor }: Frame): Frame {
  const place: Pick<Frame, 'cursor'> =
    cursor === undefined ? {} : { cursor: { ...cursor, row: cursor.row + above.length } };
  return { rows: [...above, ...rows], ...place };
}

/** Rows that take long to make, made once for a look. That time passes changes nothing of them. */
export function cacheRows<Rows>(make: (look: Look) => Rows): (look: Look) => Rows {
  let kept: { readonly look: Look; readonly rows: Rows } | undefined;
  return (look) => {
    if (kept === undefined || !isSame(kept.look, look)) kept = { look, rows: make(look) };
    return kept.rows;
  };
}

function isSame(one: Look, other: Look): boolean {
  const names = Object.keys({ ...one, ...other }) as (keyof Look)[];
  return names.every((name) => name === 'now' || one[name] === other[name]);
}
