import { hintKeys } from '../keys/hint-keys.ts';
import { visibleLine } from '../../terminal/visible-text.ts';
import type { Frame } from '../screen/frame.ts';
import type { TerminalInput } from '../screen/terminal-input.ts';
import { cutRow } from '../text/cut.ts';
import { drawRows } from '../text/draw-row.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { badStyle, boldStyle, dimStyle, plain, type Row, styled } from '../text/style.ts';
import type { View } from '../views/view.ts';

interface SecretOptions {
  readonly title: string;
  readonly problem?: string;
  given(secret: string): void;
  back(): void;
  leave(): void;
}

/** No key is longer, and no terminal shows more signs than its length says anything by. */
const mostCharacters = 4096;
const mostShown = 32;

/** A line for something secret: it is never drawn, and nothing recalls it. */
export class SecretView implements View {
  readonly #options: SecretOptions;
  #secret = '';

  constructor(options: SecretOptions) {
    this.#options = options;
  }

  frame(look: Look, height: number): Frame {
    const { title, problem } = this.#options;
    const { bullet, prompt } = glyphsOf(look);
    const count = Math.min(mostShown, this.#secret.length, Math.max(0, look.width - 5));
    const field: Row = [plain(`  ${prompt} `), plain(bullet.repeat(count))];
    const key = hintKeys(look);
    const more: readonly Row[] = [
      ...(problem === undefined ? [] : [[styled(`  ${visibleLine(problem)}`, badStyle)]]),
      [styled(`  Paste or type it. ${key('Enter')} saves it, ${key('Esc')} goes back, Ctrl+C leaves`, dimStyle)],
    ];
    const before: readonly Row[] = height > 1 ? [[styled(`  ${title}`, boldStyle)]] : [];
    const rows = [...before, field, ...more].slice(0, Math.max(1, height));
    const drawn = drawRows(
      rows.map((row) => cutRow(row, look.width, look)),
      look,
    );
    return { rows: drawn, cursor: { row: before.length, column: Math.min(look.width - 1, 4 + count) } };
  }

  input(input: TerminalInput): void {
    if (input.kind === 'paste') return this.#type(input.text.trim());
    if (input.kind !== 'key') return;
    const { name, text } = input;
    const { given, back, leave } = this.#options;
    if (name === 'ctrl+c') return leave();
    if (name === 'escape') return back();
    if (name === 'enter') return this.#secret === '' ? undefined : given(this.#secret);
    if (name === 'backspace') this.#secret = this.#secret.slice(0, -1);
    else if (name === 'ctrl+u') this.#secret = '';
    else this.#type(text);
  }

  #type(text: string): void {
    this.#secret = (this.#secret + text).slice(0, mostCharacters);
  }
}
