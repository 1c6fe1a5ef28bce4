import { fullText } from '../../../../protocol/outcome.ts';
import { ListView } from '../../pages/list-view.ts';
import type { TerminalInput } from '../../screen/terminal/terminal-port.ts';
import { cutRow, drawRow } from '../../screen/text/draw-row.ts';
import { glyphsOf, type Look } from '../../screen/text/look.ts';
import {
  accentStyle,
  badStyle,
  dimStyle,
  goodStyle,
  plain,
  type Row,
  styled,
  warnStyle,
} from '../../screen/text/style.ts';
import { findTheme, type ThemeChoice, themeChoices } from '../../screen/text/themes.ts';
import { readUserThemes } from '../../screen/text/user-themes.ts';
import type { Frame, View } from '../../screen/view.ts';
import type { TuiSession } from '../../session/session.ts';

export async function chooseTheme(session: TuiSession, name: string): Promise<void> {
  const { stage, engine, surroundings } = session.parts;
  const { appearance } = surroundings;
  const own = await readUserThemes(engine);
  const take = async (choice: ThemeChoice): Promise<void> => {
    appearance.choose(choice);
    const problem = await engine.config.saveTui({ theme: choice.name });
    if (problem === undefined) session.notice(`Theme: ${choice.name}.`);
    else session.notice(fullText(problem), 'error');
  };
  if (name !== '') {
    const choice = findTheme(name, own.choices);
    if (choice !== undefined) return take(choice);
    const names = [...themeChoices, ...own.choices].map((each) => each.name).join(', ');
    return session.notice(`There is no theme ${name}. Use one of ${names}.`, 'error');
  }
  for (const { outcome } of own.problems) session.entries.outcome(outcome, 'warning');
  const before = appearance.choice;
  const view = new ThemeView({
    choices: [...themeChoices, ...own.choices],
    current: before,
    preview: (choice) => appearance.choose(choice),
    pick(choice) {
      stage.open(undefined);
      session.run(take(choice));
    },
    close() {
      stage.open(undefined);
      appearance.choose(before);
    },
  });
  stage.open(view);
}

export interface ThemeOptions {
  readonly choices: readonly ThemeChoice[];
  readonly current: ThemeChoice;
  preview(choice: ThemeChoice): void;
  pick(choice: ThemeChoice): void;
  close(): void;
}

/** The list of themes. The whole screen shows the one under the cursor. */
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
