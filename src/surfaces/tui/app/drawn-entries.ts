import type { Cell, LastRows } from '../cells/cell.ts';
import type { Look } from '../text/look.ts';
import { themeOf } from '../text/themes.ts';

/** As much of an entry of the transcript as drawing takes. */
interface Drawable {
  readonly cell: Cell;
  readonly isFinal: boolean;
}

interface Drawn extends LastRows {
  readonly key: string;
  readonly cell: Cell;
}

/** The rows of entries: drawn once for a look, as long as nothing of them changes. */
export class DrawnEntries {
  readonly #drawn = new WeakMap<Drawable, Drawn>();

  rows(entry: Drawable, look: Look): readonly string[] {
    if (!entry.isFinal) return entry.cell.rows(look);
    const drawn = this.#drawnOf(entry, look);
    if (drawn?.isAll === true) return drawn.rows;
    return this.#keep(entry, look, { rows: entry.cell.rows(look), isAll: true }).rows;
  }

  /** The end of them, at least so many where there are as many: a long answer is not drawn whole for a screen of it. */
  last(entry: Drawable, look: Look, least: number): LastRows {
    const { cell, isFinal } = entry;
    if (cell.lastRows === undefined) return { rows: this.rows(entry, look), isAll: true };
    if (!isFinal) return cell.lastRows(look, least);
    const drawn = this.#drawnOf(entry, look);
    if (drawn !== undefined && (drawn.isAll || drawn.rows.length >= least)) return drawn;
    // More than is asked for: while the user scrolls back, it is not drawn anew for every row.
    return this.#keep(entry, look, cell.lastRows(look, least * 2));
  }

  #drawnOf(entry: Drawable, look: Look): Drawn | undefined {
    const drawn = this.#drawn.get(entry);
    return drawn?.cell === entry.cell && drawn.key === keyOf(look) ? drawn : undefined;
  }

  #keep(entry: Drawable, look: Look, { rows, isAll }: LastRows): LastRows {
    this.#drawn.set(entry, { key: keyOf(look), cell: entry.cell, rows, isAll });
    return { rows, isAll };
  }
}

function keyOf(look: Look): string {
  return [look.width, look.colours, themeOf(look.palette).name, look.glyphs, look.details, look.cwd].join(' ');
}
