import { percentRemaining } from '../../../history/percent-remaining.ts';
import type { WindowView } from '../../context/window-view.ts';
import { shareColumns } from '../../terminal/bar.ts';
import type { Look } from '../text/look.ts';
import { dimStyle, type Piece, type Row, type Style, styled } from '../text/style.ts';
import { groupLooks, type WindowGroup } from './window-groups.ts';

/** What there is besides the groups. */
export interface WindowRoom {
  /** The size of the window, and from where on Capstan compacts. Undefined: the file does not say. */
  readonly limit?: number;
  readonly compactsAt?: number;
  /** How much of it is left, in percent, as the status line counts it. */
  readonly left?: number;
  /** Tokens that can be used before Capstan compacts. */
  readonly free: number;
  /** Tokens behind that. */
  readonly reserve: number;
}

export function roomOf({ total, budgets }: Pick<WindowView, 'total' | 'budgets'>): WindowRoom {
  const limitOf = (wanted: string): number | undefined => budgets.find(({ name }) => name === wanted)?.limit;
  const limit = limitOf('effective');
  if (limit === undefined) return { free: 0, reserve: 0 };
  const compactsAt = Math.min(limit, limitOf('auto-compact') ?? limit);
  const free = Math.max(0, compactsAt - total);
  const left = percentRemaining({ effective: limit, baseline: limitOf('baseline') ?? 0, tokens: total });
  return { limit, compactsAt, left, free, reserve: Math.max(0, limit - total - free) };
}

const freeLook = { letter: '.', sign: '·', style: dimStyle } as const;
const reserveLook = { letter: '-', sign: '▒', style: dimStyle } as const;

/** The window as cells: so many rows of so many columns, filled row by row. */
export function mapRows(groups: readonly WindowGroup[], room: WindowRoom, rows: number, look: Look): readonly Row[] {
  // The rows below say the same in words.
  if (look.glyphs === 'words') return [];
  const cells = look.width * rows;
  const parts = [...groups.map(({ tokens }) => tokens), room.free, room.reserve];
  const whole = parts.reduce((sum, tokens) => sum + tokens, 0);
  if (whole === 0) return [];
  const marks = [...groups.map((group) => groupMark(group, look)), freeMark(look), reserveMark(look)];
  const columns = shareColumns(parts, whole, cells);
  const pieces = marks.map(({ text, style = {} }, at) => styled(text.repeat(columns[at] ?? 0), style));
  // Where there are more groups than columns, the last ones have none.
  return inRows(pieces, look.width).slice(0, rows);
}

export function groupMark({ kind }: Pick<WindowGroup, 'kind'>, look: Look): Piece {
  const { letter, style } = groupLooks[kind];
  return markOf({ letter, sign: '█', style }, look);
}

export function freeMark(look: Look): Piece {
  return markOf(freeLook, look);
}

export function reserveMark(look: Look): Piece {
  return markOf(reserveLook, look);
}

/** What a sign of the map means. A screen reader gets no map, and no signs for it. */
function markOf({ letter, sign, style }: { letter: string; sign: string; style: Style }, look: Look): Piece {
  return styled(look.glyphs === 'words' ? '' : hasBlocks(look) ? sign : letter, style);
}

/** Without colours all blocks look the same: letters say what they are. */
function hasBlocks({ colours, glyphs }: Look): boolean {
  return colours !== 'none' && glyphs === 'unicode';
}

/** One long row in rows. All signs take one column. */
function inRows(pieces: readonly Piece[], width: number): readonly Row[] {
  const rows: Piece[][] = [[]];
  let left = width;
  for (const { text, style = {} } of pieces) {
    for (let at = 0; at < text.length;) {
      if (left === 0) {
        rows.push([]);
        left = width;
      }
      const part = text.slice(at, at + left);
      rows.at(-1)!.push(styled(part, style));
      at += part.length;
      left -= part.length;
    }
  }
  return rows;
}
