import { chordMs } from '../keys/chord-keys.ts';
import { actionId, type KeyAction } from '../keys/key-action.ts';
import { shownKey } from '../keys/key-name.ts';
import { unfitKey } from '../keys/unfit-key.ts';
import type { Frame } from '../screen/frame.ts';
import type { TerminalInput } from '../screen/terminal-input.ts';
import { cleanLine } from '../text/clean.ts';
import { cutRow } from '../text/cut.ts';
import { drawRow } from '../text/draw-row.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { accentStyle, boldStyle, dimStyle, plain, type Row, styled, warnStyle } from '../text/style.ts';
import { wrapRow } from '../text/wrap-row.ts';
import type { View } from './view.ts';

export interface KeyCaptureOptions {
  readonly action: KeyAction;
  /** What the terminal cannot send, in a sentence. Empty: nothing is known of it. */
  note(): string;
  /** A key, or two of a chord. */
  captured(strokes: string): void;
  reported(input: TerminalInput): void;
  now(): number;
  draw(): void;
  close(): void;
}

/** A terminal that has sent nothing for so long keeps the key to itself. */
const silenceMs = 3000;

/** Waits for the key that an action is to have. A pause of a second behind the first one ends it. */
export class KeyCaptureView implements View {
  readonly keys = 'raw';
  readonly #options: KeyCaptureOptions;
  #first: string | undefined;
  #refused: string | undefined;
  #last = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: KeyCaptureOptions) {
    this.#options = options;
    this.#wait(silenceMs, () => options.draw());
  }

  frame(look: Look, height: number): Frame {
    const { action, note } = this.#options;
    const { width } = look;
    const lines = (text: string, sign: Row = [plain('  ')]): readonly Row[] =>
      text === '' ? [] : wrapRow([styled(text, dimStyle)], { width, first: sign, rest: [plain('  ')] });
    const isSilent = this.#first === undefined && look.now - this.#last >= silenceMs;
    const warned: Row = [plain('  '), styled(`${glyphsOf(look).warning} `, warnStyle)];
    const rows: readonly Row[] = [
      [plain('  '), styled(`New key for ${actionId(action)}`, boldStyle)],
      ...lines(action.does),
      ...(this.#first === undefined
        ? [...(this.#refused === undefined ? [] : lines(this.#refused, warned)), ...lines(howTo)]
        : [
            [plain('  '), styled(cleanLine(shownKey(this.#first)), accentStyle)],
            ...lines('A second key makes a chord. Wait to take this one alone.'),
          ]),
      ...lines(isSilent ? 'Nothing came? Then the terminal, tmux or the system keeps that key.' : ''),
      ...lines(note()),
    ];
    return { rows: rows.slice(0, Math.max(1, height)).map((row) => drawRow(cutRow(row, width, look), look)) };
  }

  input(input: TerminalInput): void {
    // Many characters at once are no key.
    if (input.kind !== 'key' || input.name === 'text') return this.#options.reported(input);
    clearTimeout(this.#timer);
    const { name } = input;
    if (name === 'escape' || name === 'ctrl+c') return this.#leave();
    if (this.#first !== undefined) return this.#options.captured(`${this.#first} ${name}`);
    const unfit = unfitKey(name, this.#options.action);
    this.#refused = unfit === undefined ? undefined : `This is ${unfit.what}. ${unfit.next}`;
    if (unfit !== undefined) return this.#wait(silenceMs, () => this.#options.draw());
    this.#first = name;
    this.#wait(chordMs, () => this.#options.captured(name));
  }

  /** Of a chord, the first key goes; without one, the user wants no key. */
  #leave(): void {
    if (this.#first === undefined) return this.#options.close();
    this.#first = undefined;
    this.#wait(silenceMs, () => this.#options.draw());
  }

  #wait(ms: number, then: () => void): void {
    this.#last = this.#options.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(then, ms).unref();
  }
}

const howTo = 'Press it. A second key within a second makes a chord. Esc goes back.';
