import type { Outcome } from '../../../../protocol/outcome.ts';
import { InputReader, InputSilence } from './input-reader.ts';
import type { TerminalListener, TerminalPort } from './terminal-port.ts';
import {
  backgroundQuery,
  hasTerminalQuery,
  eraseBelow,
  alternateScreenOff,
  alternateScreenOn,
  terminalModesOff,
  terminalModesOn,
  clearTitleSequence,
} from './terminal-sequences.ts';
import type { TerminalWarden } from './terminal-warden.ts';

/** When the program continues after a stop, it ignores input for this long. */
const foreignMs = 50;

export class ProcessTerminal implements TerminalPort {
  readonly marksPastes = marksPastes(process.env);
  readonly keepsScreen = hasAlternateScreen(process.env, readText);
  readonly #reader: InputReader;
  #listener: TerminalListener | undefined;
  #isRaw = false;
  #isFull = false;
  /** Another program has the terminal, and handles Ctrl+Z and the like. */
  #isLent = false;
  /** The last title that Capstan wrote; empty if the title is not from Capstan. */
  #title = '';
  #isShaped = false;
  /** Input was typed for another program while this one was stopped. */
  #isForeign = false;
  readonly #dropping = new InputSilence(() => {
    this.#isForeign = false;
    if (this.#isRaw) this.#listener?.resumed();
  });
  /** Nothing was read since the keyboard was acquired. */
  #isFresh = true;
  /** Restores the terminal if this process is killed. */
  #warden: TerminalWarden | undefined;
  #writeToStderr: typeof process.stderr.write | undefined;
  /** Captured writes of the program to standard error. */
  #stray = '';

  constructor() {
    this.#reader = new InputReader((input) => this.#listener?.input(input));
  }

  get columns(): number {
    return Math.max(1, process.stdout.columns || 80);
  }
  get rows(): number {
    return Math.max(1, process.stdout.rows || 24);
  }

  write(text: string): void {
    if (text === '') return;
    if (text.includes(alternateScreenOn)) this.#nowFull(true);
    if (text.includes(alternateScreenOff)) this.#nowFull(false);
    if (hasTerminalQuery(text)) this.#reader.expectAnswer();
    const [title] = /\u001B\]0;[^\u0007]*\u0007/.exec(text) ?? [];
    if (title !== undefined) this.#title = title === clearTitleSequence ? '' : title;
    if (text.endsWith(' q')) this.#isShaped = !text.endsWith('\u001B[0 q');
    process.stdout.write(text);
  }

  start(listener: TerminalListener): void {
    this.#listener = listener;
    process.stdin.setEncoding('utf8').on('data', this.#onData);
    process.stdin.on('error', this.#onLost).on('end', this.#onLost);
    process.stdout.on('error', this.#onLost).on('resize', this.#onResize);
    process.on('SIGCONT', this.#onContinue).on('SIGTSTP', this.#onStop);
    process.on('exit', this.#restore);
    process.prependListener('uncaughtException', this.#onCrash);
    this.#takeStderr();
    this.#enter();
    this.write(backgroundQuery);
    // After the first frame, which must not wait for another process.
    if (process.platform !== 'win32') setImmediate(() => void this.#startWarden());
  }

  stop(): void {
    this.#restore();
    process.stdin.off('data', this.#onData).off('end', this.#onLost).pause();
    process.stdout.off('resize', this.#onResize);
    process.off('SIGCONT', this.#onContinue).off('SIGTSTP', this.#onStop);
    process.off('exit', this.#restore).off('uncaughtException', this.#onCrash);
    this.#listener = undefined;
  }

  suspend(): void {
    if (process.platform === 'win32') return;
    this.#restore();
    process.off('SIGTSTP', this.#onStop);
    // The whole process group, as the terminal does it: a shell waits for all of its processes.
    process.kill(0, 'SIGTSTP');
  }

  async lend<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#restore();
    process.stdin.pause();
    this.#isLent = true;
    try {
      return await work();
    } finally {
      this.#isLent = false;
      this.#reader.clear();
      this.#enter();
    }
  }

  /** Lines typed before the keyboard was acquired arrive first, and end with the terminal's translation of Enter. */
  readonly #onData = (text: string): void => {
    if (this.#isForeign) return;
    const isTypedBefore = this.#isFresh && /[^\n]\n/.test(text);
    this.#isFresh = false;
    this.#reader.feed(isTypedBefore ? text.replaceAll('\n', '\r') : text);
  };
  readonly #onResize = (): void => this.#listener?.resize();
  readonly #onStop = (): void => this.#listener?.stop();
  readonly #onContinue = (): void => {
    if (this.#isLent) return;
    // A signal that cannot be handled stopped the program: the shell has set modes of its own meanwhile.
    if (this.#isRaw) this.#restore();
    process.off('SIGTSTP', this.#onStop).on('SIGTSTP', this.#onStop);
    this.#enter();
    this.#dropTyped();
  };
  /** The terminal has gone. */
  readonly #onLost = (): void => this.#listener?.lost();
  /** Restores the terminal, so that the fault is reported below the conversation. */
  readonly #onCrash = (): void => {
    const wasFull = this.#isFull;
    const isOurs = this.#isRaw;
    this.#restore();
    if (isOurs && !wasFull) writeNow(`\r${eraseBelow}`);
  };

  /** Drops pending input, which arrives at once. No frame may come first: input after a frame is meant for it. */
  #dropTyped(): void {
    this.#reader.clear();
    this.#isForeign = true;
    this.#dropping.restart(foreignMs);
  }

  #enter(): void {
    this.#takeStderr();
    process.stdin.setRawMode(true);
    process.stdin.resume();
    this.#isRaw = true;
    this.#isFresh = true;
    this.write(`${terminalModesOn}${this.#title}`);
    this.#warden?.tell('taken');
  }

  #nowFull(isFull: boolean): void {
    this.#isFull = isFull;
    this.#warden?.tell(isFull ? 'full' : 'taken');
  }

  async #startWarden(): Promise<void> {
    const { startTerminalWarden } = await import('./terminal-warden.ts');
    if (!this.#isRaw) return;
    this.#warden = startTerminalWarden();
    this.#warden.tell(this.#isFull ? 'full' : 'taken');
  }

  /** Also called when the process ends: must work synchronously. */
  readonly #restore = (): void => {
    if (!this.#isRaw) return;
    this.#isRaw = false;
    writeNow(
      `${terminalModesOff}${this.#isFull ? alternateScreenOff : ''}${this.#title === '' ? '' : clearTitleSequence}${this.#isShaped ? '\u001B[0 q' : ''}`,
    );
    try {
      process.stdin.setRawMode(false);
    } catch {
      // The terminal has gone.
    }
    this.#warden?.tell('given');
    this.#isFull = false;
    this.#isShaped = false;
    this.#giveStderrBack();
  };

  /** A line written by another part of the program would disturb the screen: collect it, and show it at the end. */
  #takeStderr(): void {
    if (this.#writeToStderr !== undefined) return;
    this.#writeToStderr = process.stderr.write;
    process.stderr.write = (text: string | Uint8Array) => {
      if (this.#stray.length < 64 * 1024) this.#stray += typeof text === 'string' ? text : Buffer.from(text).toString();
      return true;
    };
  }

  #giveStderrBack(): void {
    if (this.#writeToStderr === undefined) return;
    process.stderr.write = this.#writeToStderr;
    this.#writeToStderr = undefined;
    const shown = this.#stray.replaceAll(/[^\P{Cc}\n\t]/gu, '');
    this.#stray = '';
    if (shown !== '') process.stderr.write(shown);
  }
}

function readText(path: string): string | undefined {
  try {
    // No import: see `openTui`.
    return process.getBuiltinModule('node:fs').readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Synchronous, for writes before the process ends or another program has the terminal. */
function writeNow(text: string): void {
  try {
    // No import: see `openTui`.
    process.getBuiltinModule('node:fs').writeSync(1, text);
  } catch {
    // The terminal has gone.
  }
}

/**
 * True if the terminal has an alternate screen for programs and restores this one after them. GNU screen does so only
 * if its user has set `altscreen on`; it answers no query about that, so its files are read. In doubt false.
 */
export function hasAlternateScreen(env: NodeJS.ProcessEnv, read: typeof readText): boolean {
  const { STY: screen, TMUX: tmux, TERM: term = '', HOME: home = '' } = env;
  // tmux and screen keep the variables of the outer one: if both are set, TERM names the inner one.
  if (screen === undefined || (tmux !== undefined && term.startsWith('tmux'))) return true;
  const files = [env['SYSSCREENRC'] ?? '/etc/screenrc', env['SCREENRC'] ?? `${home}/.screenrc`];
  const said = files.flatMap((path) => [...(read(path) ?? '').matchAll(/^[ \t]*altscreen[ \t]+(on|off)\b/gm)]);
  return said.at(-1)?.[1] === 'on';
}

export const noAlternateScreen: Outcome<'no-other-screen'> = {
  code: 'no-other-screen',
  message: 'GNU screen keeps nothing of what stands here behind a full screen, unless altscreen is on',
  next: 'Put the line "altscreen on" into ~/.screenrc, and start screen anew.',
};

const marking = /^(?:xterm|screen|tmux|rxvt|foot|alacritty|kitty|wezterm|ghostty|contour|st-|vte|konsole|gnome|iterm)/;

export function marksPastes(env: NodeJS.ProcessEnv): boolean {
  const has = (name: string): boolean => (env[name] ?? '') !== '';
  return ['TMUX', 'TERM_PROGRAM', 'VTE_VERSION', 'WT_SESSION'].some(has) || marking.test(env['TERM'] ?? '');
}
