import { setTimeout as pause } from 'node:timers/promises';
import { type IPty, spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import type { World } from './world.ts';

const columns = 100;
const rows = 40;
/** No state takes longer, not even on a busy machine. */
const patienceMs = 120_000;
/** A screen that does not change for this long, once it has what was waited for, is drawn. */
const quietMs = 300;
/** The program drops keys that come before a person could have read a question. */
const readingMs = 1200;

export const keys = {
  enter: '\r',
  escape: '\u001B',
  down: '\u001B[B',
  up: '\u001B[A',
  end: '\u0004',
  shiftTab: '\u001B[Z',
};

/** The program on a terminal of its own, and the text on its screen. */
export class Terminal {
  readonly #world: World;
  readonly #name: string;
  readonly #pty: IPty;
  readonly #screen = new xterm.Terminal({ cols: columns, rows, scrollback: 5000, allowProposedApi: true });
  readonly #exited: Promise<number>;
  #changedAt = 0;
  #drawn = '';
  #screens = 0;
  #isOver = false;

  constructor(world: World, ...words: readonly string[]) {
    this.#world = world;
    this.#name = world.nameOf(words);
    const env = { ...world.env, TERM: 'xterm-256color', COLORTERM: 'truecolor' };
    const options = { cols: columns, rows, cwd: world.workspace, env };
    this.#pty = spawn(process.execPath, [world.program, ...words], options);
    this.#screen.onData((answer) => this.#isOver || this.#pty.write(answer));
    this.#pty.onData((text) => this.#screen.write(text, () => this.#compare()));
    this.#exited = new Promise((over) =>
      this.#pty.onExit(({ exitCode }) => {
        this.#isOver = true;
        over(exitCode);
      }),
    );
    world.whenOver(() => this.#kill());
  }

  /** Resolves when the text of the terminal matches. */
  async sees(pattern: RegExp): Promise<void> {
    await this.#until(() => pattern.test(this.#drawn), String(pattern));
  }

  async seesNo(pattern: RegExp): Promise<void> {
    await this.#until(() => !pattern.test(this.#drawn), `a screen without ${String(pattern)}`);
  }

  /** Keeps the screen when it has the text and is drawn. */
  async keep(name: string, pattern: RegExp): Promise<void> {
    const isDrawn = (): boolean => pattern.test(this.#drawn) && Date.now() - this.#changedAt >= quietMs;
    await this.#until(isDrawn, String(pattern));
    this.#screens += 1;
    this.#world.keep({ kind: 'screen', name: `${this.#name}: ${this.#screens}. ${name}`, text: this.#drawn });
  }

  press(key: string): void {
    this.#pty.write(key);
  }

  /** Types a line and sends it, when it is on the screen: a key right behind letters would be part of a paste. */
  async tell(words: string): Promise<void> {
    await this.type(words);
    this.press(keys.enter);
  }

  async type(words: string): Promise<void> {
    this.#pty.write(words);
    const last = words.slice(-30).replaceAll(/[^\w\s]/g, '.');
    await this.#until(
      () => new RegExp(last).test(this.#drawn) && Date.now() - this.#changedAt >= quietMs,
      `the typed words ${words}`,
    );
  }

  /** Answers a question with a key; once more if it came too early and the program says so. */
  async answer(key: string, question: RegExp): Promise<void> {
    await this.sees(question);
    do {
      await pause(readingMs);
      this.press(key);
      await this.#until(
        () => !question.test(this.#drawn) || this.#drawn.includes('was not taken'),
        `the end of ${String(question)}`,
      );
    } while (question.test(this.#drawn));
  }

  /** Leaves the program, and keeps what is on the terminal then. */
  async end(): Promise<void> {
    this.press(keys.end);
    const code = await Promise.race([this.#exited, pause(patienceMs, 'never' as const, { ref: false })]);
    await this.keep('the end', /\S/);
    this.#world.keep({ kind: 'exit', name: `${this.#name}: exit code`, text: String(code) });
  }

  #compare(): void {
    const { active } = this.#screen.buffer;
    const lines = Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? '');
    const drawn = lines.join('\n').trimEnd();
    if (drawn !== this.#drawn) this.#changedAt = Date.now();
    this.#drawn = drawn;
  }

  async #until(isTrue: () => boolean, wanted: string): Promise<void> {
    const end = Date.now() + patienceMs;
    while (!isTrue()) {
      if (Date.now() > end) throw new Error(`The terminal never had ${wanted}:\n${this.#drawn}`);
      await pause(20);
    }
  }

  async #kill(): Promise<void> {
    if (!this.#isOver) this.#pty.kill('SIGKILL');
    await this.#exited;
  }
}
