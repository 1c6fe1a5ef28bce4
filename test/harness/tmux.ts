import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import { capstanScript, type Place } from './run-capstan.ts';
import { whenTestEnds } from './when-test-ends.ts';

/** tmux is fetched where it is missing and can be: a real terminal is the point of the tests that use it. */
export function requireTmux(): void {
  if (spawnSync('tmux', ['-V']).status === 0) return;
  spawnSync('apt-get', ['update'], { stdio: 'ignore' });
  spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'tmux'], { stdio: 'ignore' });
  if (spawnSync('tmux', ['-V']).status !== 0)
    throw new Error('These tests need tmux. Install it, then run them again.');
}

/** A shell in a window of tmux, with a user's folders. */
export class TmuxShell {
  readonly #socket = `capstan-${randomUUID().slice(0, 8)}`;

  constructor(place: Place, columns = 90, rows = 28, program = 'bash --norc --noprofile') {
    const set = ['-e', `CAPSTAN_HOME=${place.home}`, '-e', 'LC_ALL=C.UTF-8'];
    const size = ['-x', String(columns), '-y', String(rows)];
    // At a width of one column each sign has a row, and no row may be lost.
    const keep = ['start-server', ';', 'set-option', '-g', 'history-limit', '100000', ';'];
    this.#tmux('-f', '/dev/null', ...keep, 'new-session', '-d', ...size, ...set, '-c', place.workspace, program);
    whenTestEnds(() => this.close());
  }

  /** Starts the program in the shell. */
  start(...words: readonly string[]): void {
    this.type(`'${process.execPath}' '${capstanScript}' ${words.join(' ')}`);
    this.press('Enter');
  }

  /** Starts another program in the shell. */
  run(command: string): void {
    this.type(command);
    this.press('Enter');
  }

  type(text: string): void {
    this.#tmux('send-keys', '-l', text);
  }

  press(...keys: readonly string[]): void {
    this.#tmux('send-keys', ...keys);
  }

  /** Answers a question with a key, after the time that a person needs to read it. */
  async answer(key: string): Promise<void> {
    await new Promise((read) => setTimeout(read, 1500));
    this.press(key);
  }

  /** As the terminal does it, marked if the program asked for marks. */
  paste(text: string): void {
    this.#tmux('set-buffer', text);
    this.#tmux('paste-buffer', '-p', '-r');
  }

  resize(columns: number, rows: number): void {
    this.#tmux('resize-window', '-x', String(columns), '-y', String(rows));
  }

  /** The window is closed, with all that runs in it. */
  close(): void {
    this.#tmux('kill-server');
  }

  /** The modes that the program has set on the terminal. */
  modes(): string {
    return this.#tmux('display-message', '-p', '#{alternate_on} #{cursor_flag} #{mouse_any_flag}').trim();
  }

  /** All rows, those above the screen first. */
  rows(): string {
    return this.#tmux('capture-pane', '-p', '-S', '-').trimEnd();
  }

  /** The rows in sight. */
  screen(): string {
    return this.#tmux('capture-pane', '-p').trimEnd();
  }

  /** The title of the window, as programs set it. */
  title(): string {
    return this.#tmux('display-message', '-p', '#{pane_title}').trim();
  }

  /** The text that was copied last. */
  copied(): string {
    return this.#tmux('show-buffer');
  }

  /** The process id of the program that the shell runs. */
  child(): number {
    const shell = this.#tmux('display-message', '-p', '#{pane_pid}').trim();
    return Number(spawnSync('pgrep', ['-P', shell], { encoding: 'utf8' }).stdout.trim());
  }

  async sees(words: string | RegExp, where: 'rows' | 'screen' = 'rows'): Promise<string> {
    let rows = '';
    await vi
      .waitUntil(
        () => {
          rows = this[where]();
          return typeof words === 'string' ? rows.includes(words) : words.test(rows);
        },
        { timeout: 60_000, interval: 50 },
      )
      .catch(() => {
        throw new Error(`The terminal never had ${String(words)}:\n${rows}`);
      });
    return rows;
  }

  #tmux(...words: readonly string[]): string {
    return spawnSync('tmux', ['-L', this.#socket, ...words], { encoding: 'utf8' }).stdout;
  }
}
