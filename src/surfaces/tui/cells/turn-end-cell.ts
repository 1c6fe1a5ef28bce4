import { cutRow } from '../text/cut.ts';
import { elapsedWords } from '../text/elapsed.ts';
import { glyphsOf } from '../text/glyphs.ts';
import { dimStyle, styled } from '../text/style.ts';
import type { Cell } from './cell.ts';
import { cellOfRows } from './frame.ts';

export interface EndedTurn {
  readonly durationMs: number;
  /** When it ended, in milliseconds. */
  readonly endedAt: number;
  /** What else is known of it, such as its cost. */
  readonly words?: readonly string[];
}

/** `Worked for 12s · 14:05`, with what else there is to say. */
export function turnEndCell({ durationMs, endedAt, words = [] }: EndedTurn): Cell {
  return cellOfRows((look) => {
    const parts = [`Worked for ${elapsedWords(durationMs)}`, timeOfDay(endedAt), ...words];
    return [cutRow([styled(`  ${parts.join(` ${glyphsOf(look).dot} `)}`, dimStyle)], look.width, look)];
  });
}

/** `14:05`. */
export function timeOfDay(milliseconds: number): string {
  const at = new Date(milliseconds);
  return [at.getHours(), at.getMinutes()].map((value) => String(value).padStart(2, '0')).join(':');
}
