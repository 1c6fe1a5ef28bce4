import { count } from '../../wording/number-words.ts';
import { shownKey, writtenStrokes } from '../keys/key-name.ts';
import type { Frame } from '../screen/frame.ts';
import type { TerminalInput } from '../screen/terminal-input.ts';
import { cleanLine } from '../text/clean.ts';
import { drawRow } from '../text/draw-row.ts';
import { cutRow } from '../text/cut.ts';
import type { Look } from '../text/look.ts';
import { accentStyle, boldStyle, dimStyle, plain, type Row, styled } from '../text/style.ts';
import type { View } from './view.ts';

export interface KeyDebugOptions {
  now(): number;
  draw(): void;
  close(): void;
}

const mostShown = 8;
/** A terminal that has sent nothing for so long keeps the key to itself. */
const silenceMs = 3000;

/** What the terminal sends for each key. */
export class KeyDebugView implements View {
  readonly keys = 'raw';
  readonly #options: KeyDebugOptions;
  readonly #seen: string[] = [];
  #last = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: KeyDebugOptions) {
    this.#options = options;
    this.#listen();
  }

  frame(look: Look, height: number): Frame {
    const isSilent = look.now - this.#last >= silenceMs;
    const hint = isSilent
      ? '  Nothing came? Then the terminal, tmux or the system keeps that key. Ctrl+C closes.'
      : '  Press a key. Ctrl+C closes.';
    const rows: readonly Row[] = [
      [plain('  '), styled('What the terminal sends', boldStyle)],
      ...this.#seen.map((text, at): Row => [plain('  '), styled(text, at === 0 ? accentStyle : {})]),
      [styled(hint, dimStyle)],
    ];
    return { rows: rows.slice(0, Math.max(1, height)).map((row) => drawRow(cutRow(row, look.width, look), look)) };
  }

  input(input: TerminalInput): void {
    if (input.kind === 'key' && input.name === 'ctrl+c') {
      clearTimeout(this.#timer);
      return this.#options.close();
    }
    this.#listen();
    this.#seen.unshift(words(input));
    this.#seen.splice(mostShown);
  }

  /** The hint about silence comes without a key. */
  #listen(): void {
    this.#last = this.#options.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#options.draw(), silenceMs).unref();
  }
}

function words(input: TerminalInput): string {
  switch (input.kind) {
    case 'key': {
      const types = input.text === '' ? 'types nothing' : `types "${cleanLine(input.text)}"`;
      return `${cleanLine(shownKey(input.name))}: in config.toml "${cleanLine(writtenStrokes(input.name))}", ${types}`;
    }
    case 'paste':
      return `a paste of ${count(input.text.length)} characters`;
    case 'wheel':
      return `the wheel, ${input.direction}`;
    case 'focus':
    case 'background':
    case 'answer':
      return `a report of the terminal (${input.kind})`;
  }
}
