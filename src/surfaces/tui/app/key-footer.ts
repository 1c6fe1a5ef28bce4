import { cutRow } from '../text/cut.ts';
import { drawRow } from '../text/draw-row.ts';
import { drawnColumns } from '../text/drawn-columns.ts';
import type { Look } from '../text/look.ts';
import { dimStyle, plain, styled } from '../text/style.ts';

interface KeyFooter {
  /** What stands there otherwise. */
  footer(look: Look): readonly string[];
  readonly pendingKey: string | undefined;
  /** Of Vim; undefined: it is off. */
  readonly mode: 'normal' | 'insert' | undefined;
}

/** Below the composer, with what the next key depends on: the first key of a chord, and the mode of Vim at the right. */
export function keyFooter({ footer, pendingKey, mode }: KeyFooter, look: Look): readonly string[] {
  if (pendingKey !== undefined) {
    const row = [plain(`  ${pendingKey} `), styled('waits for the next key, esc cancels', dimStyle)];
    return [drawRow(cutRow(row, look.width, look), look)];
  }
  if (mode === undefined) return footer(look);
  const words = `Vim: ${mode === 'insert' ? 'Insert' : 'Normal'}`;
  const room = look.width - words.length - 3;
  // A narrow screen has no place for both on one row.
  if (room < 20) return [drawRow(cutRow([styled(`  ${words}`, dimStyle)], look.width, look), look), ...footer(look)];
  const [first = '', ...rest] = footer({ ...look, width: room });
  const blanks = ' '.repeat(Math.max(2, look.width - 1 - words.length - drawnColumns(first)));
  return [`${first}${drawRow([plain(blanks), styled(words, dimStyle)], look)}`, ...rest];
}
