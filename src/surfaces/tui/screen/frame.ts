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
