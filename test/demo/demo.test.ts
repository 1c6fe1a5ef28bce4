import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { capstanScript, Running } from '../harness/run-capstan.ts';
import { hasTerminals, onTerminal } from '../harness/terminal.ts';

const repository = resolve(import.meta.dirname, '../..');
/** `dist/bin.cjs`, or the source of it. */
const program = relative(repository, capstanScript);
let place: string;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'capstan-test-'));
  mkdirSync(join(place, 'home'));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

/** Every process of the demo inherits the name of its temporary folder, and is known by it. */
function start(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  root = repository,
  cwd = place,
): Running {
  const child = spawn(process.execPath, [join(root, program), ...words], {
    cwd,
    env: { ...environment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return new Running(child);
}

function environment(): Readonly<Record<string, string | undefined>> {
  return { ...process.env, TMPDIR: place, HOME: join(place, 'home') };
}

/** What stands in the temporary folder and in the home of the user. */
function filesLeft(): readonly string[] {
  return readdirSync(place, { recursive: true, encoding: 'utf8' }).filter((name) => name !== 'home');
}

/** Processes that still run with our temporary folder in their environment. */
function leftovers(): readonly string[] {
  if (!existsSync('/proc/self/environ')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((id) => read(`/proc/${id}/environ`).split('\0').includes(`TMPDIR=${place}`))
    .map((id) => read(`/proc/${id}/cmdline`).replaceAll('\0', ' '));
}

/** Empty for a process that has gone meanwhile. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

describe('capstan demo', () => {
  it('shows what exec shows, proves it, and leaves nothing behind', async () => {
    const { code, stdout, stderr } = await start(['demo']).finished;
    expect({ code, stderr, stdout }).toMatchObject({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^> capstan exec 'The check fails\. Please fix it\.'\ncapstan \S+ · thread \S+ · scripted/m);
    expect(stdout).toMatch(/^ {2}largest.* FAIL, should be 10\n {2}\[exit 1\]\nupdate .*largest\.mjs\n/m);
    expect(stdout).toMatch(/^ {2}-export const .*\n {2}\+export const /m);
    expect(stdout).toMatch(/pass\n {2}\[exit 0(?: after \d+ s)?\]\nFixed\./);
    expect(stdout).toContain('Killed with SIGKILL after the first step. release.log: tag 1.0.1\n');
    expect(stdout).toContain('Capstan sent the model: "Outcome unknown: ');
    expect(stdout).toContain('Each step was done once. release.log: tag 1.0.1, upload 1.0.1, announce 1.0.1\n');
    expect(stdout).toContain('Capstan sent the model: "Sandbox: read-only.');
    expect(stdout).toMatch(/^(\d+) of \1 requests rebuilt byte for byte \(\d+ KB\)\.$/m);
    expect(stdout).toMatch(/^Each request extends the one before, so a provider can cache \d+% of the bytes\.$/m);
    expect(stdout).not.toContain('\u001b');
    const lines = stdout.split('\n');
    // What exec says itself may be longer: a terminal breaks it.
    const own = lines.filter((line) => !/^(?:capstan |update |The last turn |> node )/.test(line));
    expect(own.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.length).toBeLessThan(80);
    expect(leftovers()).toEqual([]);
    expect(filesLeft()).toEqual([]);
  });

  it('counts tokens as a provider would, keeps its files when asked to, and ends with how to go on', async () => {
    // As `npm start` runs it, where the command is not installed.
    const fromClone = { npm_lifecycle_event: 'start', PATH: pathWithout('capstan') };
    const { code, stdout } = await start(['demo', '--keep'], fromClone).finished;
    expect(code, stdout).toBe(0);
    expect(
      stdout
        .split('\n')
        .filter((line) => line.startsWith('> '))
        .slice(-4),
    ).toEqual([
      '> npm install -g .',
      '> export OPENAI_API_KEY=...',
      '> capstan exec -s workspace-write -C path/to/project "what to do"',
      '> capstan exec --oss -s workspace-write -C path/to/project "what to do"',
    ]);
    const [, home = ''] = /^> export CAPSTAN_HOME=(\S+)$/m.exec(stdout) ?? [];
    const [, project = ''] = /^> cd (\S+)$/m.exec(stdout) ?? [];
    const context = await start(['context', '--last', '--json'], { CAPSTAN_HOME: home }, repository, project).finished;
    const { families } = JSON.parse(context.stdout) as { families: readonly { family: string; tokens: number }[] };
    expect(families[0]).toMatchObject({
      family: 'instructions',
      tokens: expect.toSatisfy((count: number) => count > 400),
    });
  });

  it('is what a bare command does as long as nothing is configured, and ends soon when it is interrupted', async () => {
    const running = start([]);
    await running.printed('sh release tag');
    running.child.kill('SIGINT');
    const { code, stdout } = await running.finished;
    expect([code, stdout.split('\n').at(-2)]).toEqual([130, 'Interrupted.']);
    expect(leftovers()).toEqual([]);
    expect(filesLeft()).toEqual([]);
  });

  it('ends when it has no reader any more', async () => {
    const running = start(['demo']);
    await running.printed('Fix a bug');
    running.child.stdout?.destroy();
    const { code, stderr } = await running.finished;
    expect([code, stderr]).toEqual([1, '']);
    expect(leftovers()).toEqual([]);
    expect(filesLeft()).toEqual([]);
  });

  it.runIf(hasTerminals)('has a status line and colours on a terminal', async () => {
    const [shell, ...words] = [...onTerminal, process.execPath, join(repository, program), 'demo'];
    const child = spawn(shell, words, {
      cwd: place,
      env: { ...environment(), TERM: 'xterm' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { code, stdout } = await new Running(child).finished;
    expect(code, stdout).toBe(0);
    expect(stdout).toContain('\r\u001b[K\u001b[1mRunning sh release');
    expect(stdout).toContain('\u001b[32m  +export const');
    expect(stdout).toContain('\u001b[36m> capstan exec');
  });

  it.runIf(process.platform === 'linux')('says what to do where there is no sandbox', async () => {
    // The same program, seen from a folder without the bubblewrap that the preparation unpacks.
    for (const name of [dirname(program), 'node_modules']) symlinkSync(join(repository, name), join(place, name));
    const links = { NODE_OPTIONS: '--preserve-symlinks --preserve-symlinks-main' };
    const { code, stdout } = await start(['demo'], { ...links, PATH: pathWithout('bwrap') }, place).finished;
    expect(code).toBe(1);
    expect(stdout).toMatch(/\$ cat largest\.mjs; sh check\n[^]*\[refused\]\n/);
    expect(stdout).toMatch(/The demo stopped\.\n[^]*Install the package "bubblewrap"/);
    expect(stdout).not.toContain('requests rebuilt');
    expect(leftovers()).toEqual([]);
  });

  it('explains wrong usage', async () => {
    expect(await start(['demo', '--loud']).finished).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('capstan demo'),
    });
    expect(await start(['demo', '--help']).finished).toMatchObject({ code: 0, stderr: '' });
  });
});

/** A folder with every program of the search path but the one. */
function pathWithout(program: string): string {
  const folder = join(place, 'programs');
  mkdirSync(folder);
  for (const from of (process.env['PATH'] ?? '').split(delimiter).filter((path) => existsSync(path))) {
    for (const name of readdirSync(from)) {
      const link = join(folder, name);
      if (name !== program && !existsSync(link)) symlinkSync(join(from, name), link);
    }
  }
  return folder;
}
