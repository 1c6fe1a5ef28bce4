import { autoTheme, type Background, backgroundOf, type ThemeChoice } from '../text/theme-choice.ts';
import type { TuiStage } from './stage.ts';

/** Which theme the stage has: what the user chose, on the background that the terminal reports. */
export class Appearance {
  readonly #stage: TuiStage;
  #choice = autoTheme;
  #background: Background = 'unknown';

  constructor(stage: TuiStage) {
    this.#stage = stage;
  }

  get choice(): ThemeChoice {
    return this.#choice;
  }

  /** Also to show how one would look. */
  choose(choice: ThemeChoice): void {
    this.#choice = choice;
    this.#apply();
  }

  background(rgb: readonly [number, number, number]): void {
    this.#background = backgroundOf(rgb);
    this.#apply();
  }

  #apply(): void {
    this.#stage.changeLook({ palette: this.#choice.on(this.#background) });
  }
}
