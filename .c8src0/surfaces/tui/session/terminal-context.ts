import type { TypingPause } from '../questions/typing-pause.ts';
import type { TerminalInput, TerminalPort } from '../screen/terminal/terminal-port.ts';
import { autoTheme, type TerminalBackground, backgroundBrightness, type ThemeChoice } from '../screen/text/themes.ts';
import type { TuiScreen } from '../screen/tui-screen.ts';

interface TerminalContextParts extends Pick<TerminalContext, 'env' | 'pause'> {
  readonly stage: TuiScreen;
  readonly terminal: TerminalPort;
}

/** Surroundings of the conversation: terminal colours, window, and if the user is looking at it. */
export class TerminalContext {
  readonly appearance: Appearance;
  readonly pause: TypingPause;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly #terminal: TerminalPort;
  readonly #stage: TuiScreen;
  /** Also true if the terminal never reports focus. */
  hasFocus = true;

  constructor({ stage, terminal, env, pause }: TerminalContextParts) {
    this.appearance = new Appearance(stage);
    this.env = env;
    this.pause = pause;
    this.#terminal = terminal;
    this.#stage = stage;
  }

  get marksPastes(): boolean {
    return this.#terminal.marksPastes;
  }
  get rows(): number {
    return this.#terminal.rows;
  }

  write(sequence: string): void {
    this.#terminal.write(sequence);
  }

  /** Call when the user or this program was elsewhere, and is back. */
  cameBack(): void {
    this.pause.restart();
    this.#stage.draw();
  }

  /** True if the input was a report of the terminal, not from the user. */
  input(input: TerminalInput): boolean {
    if (input.kind === 'background') this.appearance.background(input.rgb);
    else if (input.kind === 'focus') {
      // The next keys may be meant for the window that had them until now.
      if (input.has && !this.hasFocus) this.cameBack();
      this.hasFocus = input.has;
    } else {
      if (input.kind !== 'wheel' && input.kind !== 'answer') this.pause.typed();
      return false;
    }
    return true;
  }
}

/** Sets the theme of the stage from the user's choice and the reported background. */
class Appearance {
  readonly #stage: TuiScreen;
  choice = autoTheme;
  #background: TerminalBackground = 'unknown';

  constructor(stage: TuiScreen) {
    this.#stage = stage;
  }

  /** Also used for previews. */
  choose(choice: ThemeChoice): void {
    this.choice = choice;
    this.#apply();
  }

  background(rgb: readonly [number, number, number]): void {
    this.#background = backgroundBrightness(rgb);
    this.#apply();
  }

  #apply(): void {
    this.#stage.changeLook({ palette: this.choice.on(this.#background) });
  }
}
