import { listMargin } from '../../pages/list-parts.ts';
import { ListView } from '../../pages/list-view.ts';
import { glyphsOf, type Look } from '../../screen/text/look.ts';
import { accentStyle, badStyle, dimStyle, goodStyle, styled, warnStyle } from '../../screen/text/style.ts';
import type { Row, Style } from '../../screen/text/style.ts';
import { findTheme, type ThemeChoice, themeChoices } from '../../screen/text/themes.ts';
import { readUserThemes } from '../../screen/text/user-themes.ts';
import type { View } from '../../screen/view.ts';
import type { TuiSession } from '../../session/session.ts';

export async function chooseTheme(session: TuiSession, name: string): Promise<void> {
  const { stage, engine, surroundings } = session.parts;
  const { appearance } = surroundings;
  const own = await readUserThemes(engine);
  const take = async (choice: ThemeChoice): Promise<void> => {
    appearance.choose(choice);
    const problem = await engine.config.saveTui({ theme: choice.name });
    if (problem === undefined) session.notice(`Theme: ${choice.name}.`);
    else session.noticeProblem(problem);
  };
  const choices = [...themeChoices, ...own.choices];
  if (name !== '') {
    const choice = findTheme(name, own.choices);
    if (choice !== undefined) return take(choice);
    const names = choices.map((each) => each.name).join(', ');
    return session.notice(`There is no theme ${name}. Use one of ${names}.`, 'error');
  }
  for (const { outcome } of own.problems) session.entries.outcome(outcome, 'warning');
  const before = appearance.choice;
  const view = themeView({
    choices,
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

interface ThemeOptions {
  readonly choices: readonly ThemeChoice[];
  readonly current: ThemeChoice;
  preview(choice: ThemeChoice): void;
  pick(choice: ThemeChoice): void;
  close(): void;
}

/** The list of themes. The whole screen shows the one under the cursor. */
export function themeView({ choices, current, preview, pick, close }: ThemeOptions): View {
  const list = new ListView({
    title: 'Theme',
    items: choices.map(({ name, about }) => ({ label: name, about, isCurrent: name === current.name })),
    isSearched: true,
    hint: (key) => `${key('Enter')} chooses and saves, ${key('Esc')} restores`,
    details: (_, look) => sampleRows(look),
    leastRows: 5,
    pick: (index) => pick(choices[index]!),
    close,
  });
  let shown = list.chosen;
  return {
    frame: (look, height) => list.frame(look, height),
    input(input) {
      list.input(input);
      const { chosen } = list;
      if (chosen === undefined || chosen === shown) return;
      shown = chosen;
      preview(choices[chosen]!);
    },
  };
}

function sampleRows(look: Look): readonly Row[] {
  const { good, bad, warning, prompt } = glyphsOf(look);
  const rows: readonly (readonly (readonly [text: string, style?: Style])[])[] = [
    [[`${prompt} `, accentStyle], ['Text, '], ['an accent, ', accentStyle], ['dim', dimStyle]],
    [
      [`${good} good  `, goodStyle],
      [`${bad} bad  `, badStyle],
      [`${warning} warning  `, warnStyle],
      ['Plan mode', { colour: 'special' }],
    ],
    [
      ['const', { colour: 'keyword' }],
      [' name = '],
      ['"text"', { colour: 'string' }],
      [' + '],
      ['42', { colour: 'number' }],
      ['; '],
      ['// a comment', { colour: 'comment' }],
    ],
    [
      ['+ added  ', { colour: 'good', back: 'added' }],
      ['- removed  ', { colour: 'bad', back: 'removed' }],
    ],
  ];
  return rows.map((row) => [...listMargin, ...row.map(([text, style = {}]) => styled(text, style))]);
}
