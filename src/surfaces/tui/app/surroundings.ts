import type { TerminalInput } from '../screen/terminal-input.ts';
import type { TerminalPort } from '../screen/terminal-port.ts';
import { Appearance } from './appearance.ts';
import type { TypingPause } from '../views/typing-pause.ts';
import type { TuiStage } from './stage.ts';

interface SurroundingsParts {
  readonly stage: TuiStage;
  readonly terminal: TerminalPort;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pause: TypingPause;
}

/** What is around the conversation: the colours of the terminal, its window, and whether the user looks at it. */
export class Surroundings {
  readonly appearance: Appearance;
  /** Between what the user types and what is asked. */
  readonly pause: TypingPause;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly #terminal: TerminalPort;
  readonly #stage: TuiStage;
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
