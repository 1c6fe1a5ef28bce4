import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative, resolve } from 'node:path';
import { capstanScript, Running } from '../harness/run-capstan.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

export const repository = resolve(import.meta.dirname, '../..');
/** `dist/bin.cjs`, or the source of it. */
export const program = relative(repository, capstanScript);

export interface DemoStart {
  readonly env?: Readonly<Record<string, string>>;
  /** The folder of the program. */
  readonly root?: string;
  readonly cwd?: string;
  /** Words before the program: something that runs it. */
  readonly prefix?: readonly string[];
}

/** A temporary folder with an empty home. Both go when the test ends. */
export class DemoStage {
  readonly place = mkdtempSync(join(tmpdir(), 'capstan-test-'));

  constructor() {
    mkdirSync(join(this.place, 'home'));
    whenTestEnds(() => rmSync(this.place, { recursive: true, force: true }));
  }

  /** Every process of the demo inherits the name of its temporary folder, and is known by it. */
  start(
    words: readonly string[],
    { env = {}, root = repository, cwd = this.place, prefix = [] }: DemoStart = {},
  ): Running {
    const [first = '', ...rest] = [...prefix, process.execPath, join(root, program), ...words];
    const child = spawn(first, rest, {
      cwd,
      env: { ...process.env, TMPDIR: this.place, HOME: join(this.place, 'home'), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new Running(child);
  }

  /** Names of the files in the temporary folder and in the home of the user. */
  filesLeft(): readonly string[] {
    return readdirSync(this.place, { recursive: true, encoding: 'utf8' }).filter((name) => name !== 'home');
  }

  /** Processes that still run with our temporary folder in their environment. */
  leftovers(): readonly string[] {
    if (!existsSync('/proc/self/environ')) return [];
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((id) => read(`/proc/${id}/environ`).split('\0').includes(`TMPDIR=${this.place}`))
      .map((id) => read(`/proc/${id}/cmdline`).replaceAll('\0', ' '));
  }

  /** A folder with every program of the search path but the one. */
  pathWithout(left: string): string {
    const folder = join(this.place, 'programs');
    mkdirSync(folder);
    for (const from of (process.env['PATH'] ?? '').split(delimiter).filter((path) => existsSync(path))) {
      for (const name of readdirSync(from)) {
        const link = join(folder, name);
        if (name !== left && !existsSync(link)) symlinkSync(join(from, name), link);
      }
    }
    return folder;
  }
}

/** Empty for a process that has gone meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
