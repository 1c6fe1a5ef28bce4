import type { TypingPause } from '../questions/typing-pause.ts';
import type { TerminalInput, TerminalPort } from '../screen/terminal/terminal-port.ts';
import { autoTheme, type Background, backgroundOf, type ThemeChoice } from '../screen/text/themes.ts';
import type { TuiScreen } from '../screen/tui-screen.ts';

interface SurroundingsParts {
  readonly stage: TuiScreen;
  readonly terminal: TerminalPort;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pause: TypingPause;
}

/** What is around the conversation: the colours of the terminal, its window, and whether the user looks at it. */
export class TerminalContext {
  readonly appearance: Appearance;
  /** Between what the user types and what is asked. */
  readonly pause: TypingPause;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly #terminal: TerminalPort;
  readonly #stage: TuiScreen;
  #hasFocus = true;

  constructor({ stage, terminal, env, pause }: SurroundingsParts) {
    this.appearance = new Appearance(stage);
    this.env = env;
    this.pause = pause;
    this.#terminal = terminal;
    this.#stage = stage;
  }

  /** Also true where the terminal never says. */
  get hasFocus(): boolean {
    return this.#hasFocus;
  }

  /** Whether the terminal is known to mark what is pasted. */
  get marksPastes(): boolean {
    return this.#terminal.marksPastes;
  }

  /** How high the terminal is. */
  get rows(): number {
    return this.#terminal.rows;
  }

  /** A sequence that leaves the screen as it is. */
  write(sequence: string): void {
    this.#terminal.write(sequence);
  }

  /** The next keys may be meant for the window that had them until now. */
  #focus(has: boolean): void {
    if (has && !this.#hasFocus) this.cameBack();
    this.#hasFocus = has;
  }

  /** The user, or this program, was elsewhere. */
  cameBack(): void {
    this.pause.restart();
    this.#stage.draw();
  }

  /** True: it was a report of the terminal, and nothing that the user typed. */
  input(input: TerminalInput): boolean {
    if (input.kind === 'background') this.appearance.background(input.rgb);
    else if (input.kind === 'focus') this.#focus(input.has);
    else {
      if (input.kind !== 'wheel' && input.kind !== 'answer') this.pause.typed();
      return false;
    }
    return true;
  }
}

/** Which theme the stage has: what the user chose, on the background that the terminal reports. */
class Appearance {
  readonly #stage: TuiScreen;
  #choice = autoTheme;
  #background: Background = 'unknown';

  constructor(stage: TuiScreen) {
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
