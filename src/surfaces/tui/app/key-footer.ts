import type { ModalKeys } from '../composer/modal-keys.ts';
import { cleanLine } from '../text/clean.ts';
import { cutRow } from '../text/cut.ts';
import { drawRow } from '../text/draw-row.ts';
import { drawnColumns } from '../text/drawn-columns.ts';
import type { Look } from '../text/look.ts';
import { dimStyle, plain, styled } from '../text/style.ts';

interface KeyFooter {
  /** What stands there otherwise. */
  footer(look: Look): readonly string[];
  readonly pendingKey: string | undefined;
  /** Undefined: it is off. */
  readonly vim: Pick<ModalKeys, 'mode' | 'search'> | undefined;
}

const modeNames = { normal: 'Normal', insert: 'Insert', replace: 'Replace' } as const;

/** Below the composer, with what the next key depends on: the first key of a chord, a search, and the mode of Vim at the right. */
export function keyFooter({ footer, pendingKey, vim }: KeyFooter, look: Look): readonly string[] {
  if (pendingKey !== undefined) {
    const row = [plain(`  ${pendingKey} `), styled('waits for the next key, esc cancels', dimStyle)];
    return [drawRow(cutRow(row, look.width, look), look)];
  }
  if (vim === undefined) return footer(look);
  if (vim.search !== undefined) return [drawRow(cutRow([plain(`  ${cleanLine(vim.search)}`)], look.width, look), look)];
  const words = `Vim: ${modeNames[vim.mode]}`;
  const room = look.width - words.length - 3;
  // A narrow screen has no place for both on one row.
  if (room < 20) return [drawRow(cutRow([styled(`  ${words}`, dimStyle)], look.width, look), look), ...footer(look)];
  const [first = '', ...rest] = footer({ ...look, width: room });
  const blanks = ' '.repeat(Math.max(2, look.width - 1 - words.length - drawnColumns(first)));
  return [`${first}${drawRow([plain(blanks), styled(words, dimStyle)], look)}`, ...rest];
}
