import { hintKeys } from '../keys/hint-keys.ts';
import type { Frame } from '../screen/frame.ts';
import type { TerminalInput } from '../screen/terminal-input.ts';
import { cleanLine } from '../text/clean.ts';
import { wrapRow } from '../text/wrap-row.ts';
import { cutRow } from '../text/cut.ts';
import { drawRow } from '../text/draw-row.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { accentStyle, boldStyle, dimStyle, plain, type Row, styled } from '../text/style.ts';
import type { View } from './view.ts';

export interface QueueOptions {
  /** As they are now, the next one first. */
  queued(): readonly string[];
  /** Gives the place that it has then. */
  move(at: number, to: number): number;
  remove(at: number): void;
  /** Into the composer. */
  edit(at: number): void;
  /** To the model, before all others. */
  sendNow(at: number): void;
  close(): void;
}

const mostRows = 10;

/** What waits for turns of its own: to reorder, delete, edit or send it. */
export class QueueView implements View {
  readonly #options: QueueOptions;
  #at = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  frame(look: Look, height: number): Frame {
    const queued = this.#options.queued();
    const count = Math.max(1, Math.min(mostRows, height - 3, queued.length));
    const from = Math.max(0, Math.min(this.#at - Math.floor(count / 2), queued.length - count));
    const listed = queued.slice(from, from + count).map((words, place): Row => {
      const isChosen = from + place === this.#at;
      return [
        styled(isChosen ? `${glyphsOf(look).prompt} ` : '  ', accentStyle),
        styled(`${from + place + 1}. ${cleanLine(words)}`, isChosen ? { ...accentStyle, ...boldStyle } : {}),
      ];
    });
    const key = hintKeys(look);
    const hint = `${key('s')} sends now, ${key('Enter')} edits, ${key('d')} deletes, ${key('K')} and ${key('J')} move, ${key('Esc')} closes`;
    const rows: readonly Row[] = [
      [plain('  '), styled('Queued for the next turns', boldStyle)],
      ...(listed.length > 0 ? listed : [[styled('  Nothing waits.', dimStyle)]]),
      ...wrapRow([styled(hint, dimStyle)], { width: look.width, first: [plain('  ')], rest: [plain('  ')] }),
    ];
    return { rows: rows.map((row) => drawRow(cutRow(row, look.width, look), look)) };
  }

  input(input: TerminalInput): void {
    if (input.kind !== 'key') return;
    const { queued, move, remove, edit, sendNow, close } = this.#options;
    const last = queued().length - 1;
    const { name } = input;
    if (name === 'escape' || name === 'ctrl+c' || name === 'q') return close();
    if (last < 0) return;
    if (name === 'up' || name === 'k') this.#at = this.#at === 0 ? last : this.#at - 1;
    else if (name === 'down' || name === 'j') this.#at = this.#at >= last ? 0 : this.#at + 1;
    else if (name === 'shift+up' || name === 'K') this.#at = move(this.#at, this.#at - 1);
    else if (name === 'shift+down' || name === 'J') this.#at = move(this.#at, this.#at + 1);
    else if (name === 'd' || name === 'delete' || name === 'backspace') {
      remove(this.#at);
      this.#at = Math.min(this.#at, Math.max(0, last - 1));
    } else if (name === 'enter' || name === 'e') edit(this.#at);
    else if (name === 's') sendNow(this.#at);
  }
}
