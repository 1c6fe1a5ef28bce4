import { isUtf8 } from 'node:buffer';
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import type { SharedModel } from './model.ts';
import type { RunRecord } from './normalise.ts';

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Configuration {
  /** Keys of config.toml. */
  readonly top?: string;
  /** Keys of the table of the provider. */
  readonly provider?: string;
  /** Tables after all others. */
  readonly tables?: string;
}

/** Left out of the comparison: compiled code, locks, caches of the file system's times, a random key, a database. */
const leftOut = /(?:^|\/)(?:\.cache|\.git|thread-writer-locks|tmp)\/|\.lock$|\/known\.json$|\/key$|\.sqlite(?:-\w+)?$/;
/** The copy that a build unpacks where none is installed: on the PATH, no build reports where it found its own. */
const bubblewrap = join(import.meta.dirname, '../../.local/bubblewrap/usr/bin');

/**
 * A user's folders at a path that is the same for both builds, the program of one of them, and what the run left. Each
 * world removes the one before it.
 */
export class World {
  readonly root: string;
  readonly home: string;
  readonly workspace: string;
  /** The folder with the program's `dist`, at one path for both builds. */
  readonly program: string;
  readonly model: SharedModel;
  readonly #records: RunRecord[] = [];
  readonly #open = new Set<() => Promise<void>>();
  #started = 0;

  constructor(root: string, build: string, model: SharedModel) {
    this.root = root;
    this.home = join(root, 'home');
    this.workspace = join(root, 'workspace');
    this.program = join(build, 'dist/bin.cjs');
    this.model = model;
    removeFolder(root);
    for (const name of ['home', 'user', 'tmp', 'outside']) mkdirSync(join(root, name), { recursive: true });
    // Git takes less than these three for no repository.
    for (const name of ['objects', 'refs']) mkdirSync(join(this.workspace, '.git', name), { recursive: true });
    writeFileSync(join(this.workspace, '.git/HEAD'), 'ref: refs/heads/main\n');
  }

  get env(): Readonly<Record<string, string>> {
    const programs = [dirname(process.execPath), ...(existsSync(bubblewrap) ? [bubblewrap] : []), '/usr/bin', '/bin'];
    return {
      PATH: programs.join(':'),
      HOME: join(this.root, 'user'),
      CAPSTAN_HOME: this.home,
      TMPDIR: join(this.root, 'tmp'),
      SHELL: '/bin/sh',
      LANG: 'C.UTF-8',
      TZ: 'Etc/UTC',
    };
  }

  configure({ top = '', provider = '', tables = '' }: Configuration): void {
    const mode = /^sandbox_mode/m.test(top) ? '' : 'sandbox_mode = "workspace-write"\n';
    const sockets = /^supports_websockets/m.test(provider) ? '' : 'supports_websockets = false\n';
    const wire = /^wire_api/m.test(provider) ? '' : 'wire_api = "responses"\n';
    const text = `model = "gpt-5.5"
model_provider = "scripted"
allow_login_shell = false
${mode}${top}
[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true
[projects.${JSON.stringify(this.workspace)}]
trust_level = "trusted"
[model_providers.scripted]
name = "scripted"
base_url = "${this.model.url}"
${wire}${sockets}${provider}
${tables}`;
    writeFileSync(join(this.home, 'config.toml'), text);
  }

  /** Writes a file below the root, such as `workspace/AGENTS.md`. */
  write(path: string, text: string, mode = 0o644): string {
    const whole = join(this.root, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, text);
    chmodSync(whole, mode);
    return whole;
  }

  /** Runs a command to its end, and keeps what it printed. */
  async run(...words: readonly string[]): Promise<Finished> {
    return this.runWith({}, ...words);
  }

  async runWith({ input }: { readonly input?: string }, ...words: readonly string[]): Promise<Finished> {
    const name = this.nameOf(words);
    const child = spawn(process.execPath, [this.program, ...words], {
      cwd: this.workspace,
      env: this.env,
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    child.stdin?.on('error', () => {}).end(input);
    const [stdout, stderr, code] = await Promise.all([
      child.stdout === null ? '' : textFrom(child.stdout),
      child.stderr === null ? '' : textFrom(child.stderr),
      new Promise<number | null>((over, failed) => child.on('error', failed).on('close', over)),
    ]);
    const isEvents = words[0] === 'exec' && words.includes('--json');
    this.keep({ kind: isEvents ? 'event' : 'output', name: `${name}: standard output`, text: stdout });
    this.keep({ kind: 'output', name: `${name}: standard error`, text: stderr });
    this.keep({ kind: 'exit', name: `${name}: exit code`, text: String(code) });
    return { code, stdout, stderr };
  }

  /** Numbers the programs of a run. */
  nameOf(words: readonly string[]): string {
    this.#started += 1;
    return `${this.#started}. capstan ${words.join(' ')}`.slice(0, 100);
  }

  keep(record: RunRecord): void {
    this.#records.push(record);
  }

  /** Called when the run ends, however it ends. */
  whenOver(close: () => Promise<void>): void {
    this.#open.add(close);
  }

  async close(): Promise<void> {
    for (const close of this.#open) await close();
  }

  /** Everything that the run left, requests first: they name most ids in the order in which the program made them. */
  records(): readonly RunRecord[] {
    const requests = this.model.requests().map(({ name, text }) => ({ kind: 'request', name, text }) as const);
    const frames = this.model.frames().map((text, at) => ({ kind: 'request', name: `frame ${at + 1}`, text }) as const);
    return [...requests, ...frames, ...this.#records, ...this.#files()];
  }

  #files(): readonly RunRecord[] {
    const names = readdirSync(this.root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(this.root.length + 1))
      .filter((name) => !leftOut.test(name));
    const files = names.map((name) => ({ kind: 'file', name, text: textOfFile(join(this.root, name)) }) as const);
    return files.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
  }
}

/** Rollouts in the order of their newest ids, which begin with a time; a blob's name, a digest, gives no order. */
function orderOf({ name, text }: RunRecord): string {
  const rollout = /^(.*\/)rollout-.*([0-9a-f-]{36})\.jsonl$/.exec(name);
  if (rollout !== null) return `home/sessions ${rollout[2]}`;
  return name.includes('/blobs/') ? `home/capstan/blobs ${text.replaceAll(/[0-9a-f-]{36}/g, '')}` : name;
}

function textOfFile(path: string): string {
  const stored = readFileSync(path);
  const bytes = path.endsWith('.zst') ? zstdDecompressSync(stored) : stored;
  if (!isUtf8(bytes) || bytes.includes(0)) return `<${bytes.length} bytes>`;
  const text = bytes.toString('utf8');
  // Commands that run at once begin and end in any order.
  return path.endsWith('/call-times.jsonl') ? text.split('\n').toSorted().join('\n') : text;
}

async function textFrom(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  stream.setEncoding('utf8');
  for await (const piece of stream) text += String(piece);
  return text;
}

/** Sandboxed commands may leave folders that are still in use for a moment. */
export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}
