import { type Frame, frameBelow } from '../screen/frame.ts';
import type { Look } from '../text/look.ts';
import { pinnedRow } from './pinned-row.ts';
import type { Transcript } from './transcript.ts';

/** Rows of a conversation in sight, from which on the message that they answer is pinned above them. */
const leastPinned = 5;

/** The transcript on a whole screen: its end, or what the user has scrolled back to. */
export class ScrolledTranscript {
  readonly #transcript: Transcript;
  /** Rows that the user has scrolled back. */
  #back = 0;

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
  }

  scroll(rows: number, look: Look): void {
    const wanted = Math.max(0, this.#back + rows);
    this.#back = Math.max(0, this.#transcript.rowCount(look, wanted + 1) - 1);
  }

  toEnd(): void {
    this.#back = 0;
  }

  /** With what stands below it. */
  frame(look: Look, height: number, bottom: Frame): Frame {
    const room = Math.max(0, height - bottom.rows.length);
    const rows = this.#transcript.lastRows(look, room, this.#back);
    const prompt = room < leastPinned ? undefined : this.#transcript.promptAbove(look, room, this.#back);
    return frameBelow(prompt === undefined ? rows : [pinnedRow(prompt, look), ...rows.slice(1)], bottom);
  }
}
