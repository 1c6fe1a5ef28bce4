import { fullText } from '../../../protocol/outcome.ts';
import { findTheme, type ThemeChoice, themeChoices } from '../text/theme-choice.ts';
import { ThemeView } from '../views/theme-view.ts';
import { ownThemes } from './own-themes.ts';
import type { TuiSession } from './session.ts';

/** `/theme`: by its name, or from a list that shows each on the screen. */
export async function chooseTheme(session: TuiSession, name: string): Promise<void> {
  const { stage, engine, surroundings } = session.parts;
  const { appearance } = surroundings;
  const own = await ownThemes(engine);
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
