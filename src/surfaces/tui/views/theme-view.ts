import type { Frame } from '../screen/frame.ts';
import type { TerminalInput } from '../screen/terminal-input.ts';
import { cutRow } from '../text/cut.ts';
import { drawRow } from '../text/draw-row.ts';
import { glyphsOf } from '../text/glyphs.ts';
import type { Look } from '../text/look.ts';
import { accentStyle, badStyle, dimStyle, goodStyle, plain, type Row, styled, warnStyle } from '../text/style.ts';
import type { ThemeChoice } from '../text/theme-choice.ts';
import { ListView } from './list-view.ts';
import type { View } from './view.ts';

export interface ThemeOptions {
  readonly choices: readonly ThemeChoice[];
  readonly current: ThemeChoice;
  /** Shows how it looks. */
  preview(choice: ThemeChoice): void;
  pick(choice: ThemeChoice): void;
  close(): void;
}

/** The list of themes. The whole screen has the one under the cursor. */
export class ThemeView implements View {
  readonly #options: ThemeOptions;
  readonly #list: ListView;
  #shown: number | undefined;

  constructor(options: ThemeOptions) {
    this.#options = options;
    const { choices, current, pick, close } = options;
    this.#list = new ListView({
      title: 'Theme',
      items: choices.map(({ name, about }) => ({ label: name, about, isCurrent: name === current.name })),
      isSearched: true,
      hint: (key) => `${key('Enter')} chooses and saves, ${key('Esc')} restores`,
      pick: (index) => pick(choices[index]!),
      close,
    });
    this.#shown = this.#list.chosen;
  }

  frame(look: Look, height: number): Frame {
    const sample = [[], ...sampleRows(look)].map((row) => drawRow(cutRow(row, look.width, look), look));
    const { rows, cursor } = this.#list.frame(look, Math.max(5, height - sample.length));
    const all = [...rows, ...sample].slice(0, Math.max(2, height));
    return cursor === undefined ? { rows: all } : { rows: all, cursor };
  }

  input(input: TerminalInput): void {
    this.#list.input(input);
    const { chosen } = this.#list;
    if (chosen === undefined || chosen === this.#shown) return;
    this.#shown = chosen;
    this.#options.preview(this.#options.choices[chosen]!);
  }
}

/** Something of everything that has a colour. */
function sampleRows(look: Look): readonly Row[] {
  const { good, bad, warning, prompt } = glyphsOf(look);
  return [
    [
      plain('  '),
      styled(`${prompt} `, accentStyle),
      plain('Text, '),
      styled('an accent, ', accentStyle),
      styled('dim', dimStyle),
    ],
    [
      plain('  '),
      styled(`${good} good  `, goodStyle),
      styled(`${bad} bad  `, badStyle),
      styled(`${warning} warning  `, warnStyle),
      styled('Plan mode', { colour: 'special' }),
    ],
    [
      plain('  '),
      styled('const', { colour: 'keyword' }),
      plain(' name = '),
      styled('"text"', { colour: 'string' }),
      plain(' + '),
      styled('42', { colour: 'number' }),
      plain('; '),
      styled('// a comment', { colour: 'comment' }),
    ],
    [
      plain('  '),
      styled('+ added  ', { colour: 'good', back: 'added' }),
      styled('- removed  ', { colour: 'bad', back: 'removed' }),
    ],
  ];
}
