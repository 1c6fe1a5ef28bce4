import { keyHint } from '../keys/key-map.ts';
import { cleanLine } from '../text/clean.ts';
import { cutRow } from '../text/cut.ts';
import { drawRow } from '../text/draw-row.ts';
import { elapsedWords } from '../text/elapsed.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { boldStyle, dimStyle, plain, type Row, styled } from '../text/style.ts';

/** What the user has sent and the model has not read. */
export interface WaitingWords {
  /** For the turn that runs. */
  readonly steers: readonly string[];
  /** Each for a turn of its own. */
  readonly queued: readonly string[];
}

interface AboveComposer {
  readonly busy: { readonly header: string; readonly since: number; readonly detail?: string } | undefined;
  readonly waiting: WaitingWords;
}

/** What runs, and what waits, above the composer. */
export function bottomRows({ busy, waiting }: AboveComposer, look: Look): readonly string[] {
  const { bullet, corner, input, dot } = glyphsOf(look);
  const rows: Row[] = [];
  if (busy !== undefined) {
    const time = elapsedWords(look.now - busy.since);
    rows.push(
      [],
      [
        plain(`${bullet} `),
        styled(busy.header, boldStyle),
        styled(` (${time}${keyHint(look, 'chat.interrupt_turn', (key) => ` ${dot} ${key} to interrupt`)})`, dimStyle),
      ],
    );
    if (busy.detail !== undefined) rows.push([styled(`  ${corner} ${cleanLine(busy.detail)}`, dimStyle)]);
  }
  const listed = (title: string, words: readonly string[]): void => {
    if (words.length === 0) return;
    rows.push([], [styled(`${bullet} ${title}`, dimStyle)]);
    for (const each of words) rows.push([styled(`  ${input} ${cleanLine(each)}`, dimStyle)]);
  };
  listed('Messages that the model reads with its next request', waiting.steers);
  const edits = keyHint(look, 'chat.edit_queued_message', (key) => ` (${key} edits the last one)`);
  listed(`Queued for the next turns${edits}`, waiting.queued);
  return rows.map((row) => drawRow(cutRow(row, look.width, look), look));
}
