import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Line } from '../../src/protocol/line.ts';
import { builtProgram } from './built-program.ts';

export const capstanScript = builtProgram({ built: 'dist/bin.cjs', source: 'src/bin.ts' });

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The folder in which it is started, if that is not the workspace. */
  readonly cwd?: string;
  /** Words before the program: something that runs it. */
  readonly prefix?: readonly string[];
  /** The bytes on standard input; `open` is a pipe without a writer. Absent: standard input is empty. */
  readonly input?: string | Buffer;
}

export interface PlaceNames {
  /** The folder around both. */
  readonly root: string;
  readonly home: string;
  readonly workspace: string;
}

/** A user's folders: a home with a configuration that points at a scripted model, and a workspace. */
export class Place {
  readonly root: string;
  readonly home: string;
  readonly workspace: string;

  constructor(modelUrl: string, more = '', names?: PlaceNames) {
    const { root, home, workspace } = names ?? {
      root: mkdtempSync(join(tmpdir(), 'capstan-test-')),
      home: 'home',
      workspace: 'workspace',
    };
    this.root = root;
    this.home = join(this.root, home);
    this.workspace = join(this.root, workspace);
    mkdirSync(this.home);
    // Git takes less than these three for no repository.
    for (const name of ['objects', 'refs']) mkdirSync(join(this.workspace, '.git', name), { recursive: true });
    writeFileSync(join(this.workspace, '.git', 'HEAD'), 'ref: refs/heads/main\n');
    const config = `model = "gpt-5.5"
model_provider = "scripted"
${/^sandbox_mode/m.test(more) ? '' : 'sandbox_mode = "workspace-write"'}
${more}
[model_providers.scripted]
name = "scripted"
base_url = "${modelUrl}"
wire_api = "responses"
supports_websockets = false
`;
    writeFileSync(join(this.home, 'config.toml'), config);
  }

  /** All lines of all rollouts. */
  lines(): readonly Line[] {
    return this.rollouts().flatMap((path) =>
      readFileSync(path, 'utf8')
        .split('\n')
        .filter((text) => text !== '')
        .map((text) => JSON.parse(text) as Line),
    );
  }

  rollouts(): readonly string[] {
    return readdirSync(this.home, { recursive: true, encoding: 'utf8' })
      .filter((name) => /rollout-.*\.jsonl$/.test(name))
      .map((name) => join(this.home, name));
  }

  remove(): void {
    // A login shell that was asked for its variables outlives the command that asked.
    rmSync(this.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  }

  /** Starts the command in the workspace. */
  start(words: readonly string[], options: StartOptions = {}): Running {
    const [program, ...before] = [...(options.prefix ?? []), process.execPath];
    const child = spawn(program!, [...before, capstanScript, ...words], {
      cwd: options.cwd ?? this.workspace,
      env: { ...process.env, CAPSTAN_HOME: this.home, ...options.env },
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    // A program may end while a key is on its way to it.
    child.stdin?.on('error', () => {});
    if (options.input !== undefined && options.input !== 'open') child.stdin?.end(options.input);
    return new Running(child);
  }

  /**
   * Runs a command to its end and gives what it printed. Most commands run inside the test, which saves the start of a
   * program; `start` gives a process where that is the point. With CAPSTAN_TEST_PROCESSES=1 each has one.
   */
  run(...words: readonly string[]): Promise<Finished> {
    return this.runWith({}, ...words);
  }

  /** Runs Capstan with other variables, or in another folder. */
  async runWith(options: Pick<StartOptions, 'env' | 'cwd'>, ...words: readonly string[]): Promise<Finished> {
    if (process.env['CAPSTAN_TEST_PROCESSES'] !== undefined) return this.start(words, options).finished;
    const { canRunInside, runInside } = await import('./capstan-inside.ts');
    return canRunInside(words) ? runInside(this, words, options) : this.start(words, options).finished;
  }
}

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as events. */
  readonly events: readonly JsonObject[];
}

export class Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  #stdout = '';
  #stderr = '';
  #waiting: { readonly text: string; readonly found: () => void }[] = [];

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text;
      for (const waiting of this.#waiting) if (this.#stdout.includes(waiting.text)) waiting.found();
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text));
    this.finished = new Promise((done, failed) => {
      child.on('error', failed);
      child.on('close', (code, signal) => {
        const [stdout, stderr] = [this.#stdout, this.#stderr];
        done({ code, signal, stdout, stderr, events: eventsIn(stdout) });
      });
    });
  }

  get stdout(): string {
    return this.#stdout;
  }

  /** Resolves when standard output holds the text. */
  async printed(text: string): Promise<void> {
    if (this.#stdout.includes(text)) return;
    await Promise.race([
      new Promise<void>((found) => this.#waiting.push({ text, found })),
      this.finished.then(({ stdout, stderr }) => {
        if (stdout.includes(text)) return;
        throw new Error(`ended without printing ${text}\n${stdout}\n${stderr}`);
      }),
    ]);
  }
}

export function eventsIn(stdout: string): readonly JsonObject[] {
  if (!stdout.startsWith('{"')) return [];
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JsonObject);
}
