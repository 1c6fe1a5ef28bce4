// A shell on a real terminal (tmux) that types lines, waits for what they print, and takes pictures of the screen.
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Rows of the terminal: more than any session prints. */
const rows = 90;
const patienceMs = 30_000;

export class Terminal {
  #socket;
  #width;

  /** Starts a shell in a folder, with these variables and no others that could show. */
  constructor({ socket, width, folder, env }) {
    this.#socket = socket;
    this.#width = width;
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const size = ['-x', String(width), '-y', String(rows)];
    const shell = ['env', ...variables, 'bash', '--noprofile', '--norc', '--noediting', '-i'];
    this.#tmux('-f', '/dev/null', 'new-session', '-d', ...size, '-c', folder, ...shell);
  }

  get width() {
    return this.#width;
  }

  /** Types a line and presses Enter, once the shell is ready for it. */
  async type(line) {
    await this.ready();
    this.#tmux('send-keys', '-l', line);
    this.#tmux('send-keys', 'Enter');
    await this.shows(line.slice(0, 20));
  }

  /** Presses a key, such as `C-c`. */
  press(key) {
    this.#tmux('send-keys', key);
  }

  /** The shell has printed its prompt and waits. */
  async ready() {
    await this.#until(() => /(?:^|\n)\$$/.test(this.text()), 'the prompt');
  }

  async shows(wanted) {
    const isThere = () => (typeof wanted === 'string' ? this.text().includes(wanted) : wanted.test(this.text()));
    await this.#until(isThere, wanted);
  }

  /** What stands on the screen, as text. */
  text() {
    return this.#capture().trimEnd();
  }

  /** The same with its colours, as lines, without those that `after` has. The prompt that waits at the end is left out. */
  frame(caption, after) {
    const lines = this.#capture('-e')
      .trimEnd()
      .split('\n')
      .map((line) => line.trimEnd());
    if (lines.at(-1)?.replaceAll(/\u001B\[[\d;]*m/g, '') === '$') lines.pop();
    while (lines.at(-1) === '') lines.pop();
    return { caption, lines: lines.slice(after?.lines.length ?? 0) };
  }

  close() {
    this.#tmux('kill-server');
  }

  #capture(...options) {
    return this.#tmux('capture-pane', '-p', ...options);
  }

  #tmux(...words) {
    const env = { ...process.env, LC_ALL: 'C.UTF-8' };
    return execFileSync('tmux', ['-u', '-S', this.#socket, ...words], { encoding: 'utf8', env });
  }

  async #until(isTrue, wanted) {
    const end = Date.now() + patienceMs;
    while (!isTrue()) {
      if (Date.now() > end) throw new Error(`The terminal does not show ${wanted}:\n${this.text()}`);
      await sleep(50);
    }
  }
}
