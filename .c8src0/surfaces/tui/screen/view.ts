import type { KeyGroup } from './keys/key-map.ts';
import type { TerminalInput } from './terminal/terminal-port.ts';
import type { Look } from './text/look.ts';

/** Replaces the composer and has the keyboard. The opener closes it. */
export interface View {
  frame(look: Look, height: number): Frame;
  input(input: TerminalInput): void;
  /** Key bindings to apply; `raw`: none. Absent: those of a list, or of a pager if it has the whole screen. */
  readonly keys?: KeyGroup | 'raw' | undefined;
  /** Identifies the current question of a view with several: each must be visible before a key answers it. */
  readonly asks?: unknown;
  /** Keys that only show more or another part of a question, and answer nothing. */
  readonly looks?: readonly string[];
  /** The view interprets all input itself, except the key that suspends. */
  readonly hasController?: true;
  /** Character keys type. */
  readonly takesText?: boolean;
}

export interface Frame {
  readonly rows: readonly string[];
  /** Counted from 0. Absent: the cursor is hidden. */
  readonly cursor?: { readonly row: number; readonly column: number };
}

export const noFrame: Frame = { rows: [] };

/** The last rows of a frame, as many as fit. The cursor stays in sight. */
export function fitFrame({ rows, cursor }: Frame, height: number): Frame {
  const room = Math.max(1, height);
  if (rows.length <= room) return { rows, cursor };
  const from = Math.min(rows.length - room, cursor?.row ?? Infinity);
  return { rows: rows.slice(from, from + room), cursor: cursor && { ...cursor, row: cursor.row - from } };
}

export const frameBelow = (above: readonly string[], { rows, cursor }: Frame): Frame => ({
  rows: [...above, ...rows],
  cursor: cursor && { ...cursor, row: cursor.row + above.length },
});

/** Caches rows that are slow to make by look. They must not depend on the time. */
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
