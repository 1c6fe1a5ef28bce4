import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { capstanScript, Running } from '../harness/run-capstan.ts';

const repository = resolve(import.meta.dirname, '../..');
/** `dist/bin.js`, or the source of it. */
const program = relative(repository, capstanScript);
let place: string;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'capstan-test-'));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

/** Every process of the demo inherits the name of its temporary folder, and is known by it. */
function start(words: readonly string[], env: Readonly<Record<string, string>> = {}, root = repository): Running {
  const child = spawn(process.execPath, [join(root, program), ...words], {
    cwd: place,
    env: { ...process.env, TMPDIR: place, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return new Running(child);
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
  it('tells its story to the end, proves it, and leaves nothing running', async () => {
    const { code, stdout, stderr } = await start(['demo']).finished;
    expect({ code, stderr, stdout }).toMatchObject({ code: 0, stderr: '' });
    expect(stdout).toMatch(/ (\d+) of \1 requests rebuilt byte for byte from the file \(\d+ KB\)/);
    expect(stdout).toContain("Each request's input extends the one before");
    expect(stdout).toMatch(/runs +sh check {2}\[exit 1\]\n.*FAIL/);
    expect(stdout).toMatch(/runs +sh check {2}\[exit 0\]\n.*pass/);
    expect(stdout).toMatch(/pre-commit {2}\[exit 1\]\n/);
    expect(stdout).toMatch(/killed +by SIGKILL.*"tag 1\.0\.1"\n/);
    expect(stdout).toMatch(/told +Outcome unknown: /);
    expect(stdout).toMatch(/told +<permissions instructions> Sandbox: read-only\./);
    expect(stdout).not.toContain('\u001b');
    expect(stdout.split('\n').filter((line) => line.length > 100)).toEqual([]);
    expect(leftovers()).toEqual([]);
    const [, rollout] = /(\/\S+\/rollout\.jsonl)/.exec(stdout) ?? [];
    expect(read(rollout ?? '')).toMatch(/^\{"timestamp":.*"session_meta"/);
  });

  it('is what a bare command does as long as nothing is configured, and ends soon when it is interrupted', async () => {
    const running = start([]);
    await running.printed('sh release tag');
    running.child.kill('SIGINT');
    const { code, stdout } = await running.finished;
    expect([code, stdout.split('\n').at(-2)]).toEqual([130, '   Interrupted.']);
    expect(leftovers()).toEqual([]);
  });

  it('ends when it has no reader any more', async () => {
    const running = start(['demo']);
    await running.printed('told');
    running.child.stdout?.destroy();
    const { code, stderr } = await running.finished;
    expect([code, stderr]).toEqual([1, '']);
    expect(leftovers()).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('says what to do where there is no sandbox', async () => {
    // The same program, seen from a folder without the bubblewrap that the preparation unpacks.
    for (const name of [dirname(program), 'node_modules']) symlinkSync(join(repository, name), join(place, name));
    const links = { NODE_OPTIONS: '--preserve-symlinks --preserve-symlinks-main' };
    const { code, stdout } = await start(['demo'], { ...links, PATH: pathWithoutBubblewrap() }, place).finished;
    expect(code).toBe(1);
    expect(stdout).toMatch(/runs +cat largest\.mjs {2}\[declined\]\n/);
    expect(stdout).toMatch(/The demo ends here\.\n\n[^]*Install the package "bubblewrap"/);
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
function pathWithoutBubblewrap(): string {
  const folder = join(place, 'programs');
  mkdirSync(folder);
  for (const from of (process.env['PATH'] ?? '').split(delimiter).filter((path) => existsSync(path))) {
    for (const name of readdirSync(from)) {
      const link = join(folder, name);
      if (name !== 'bwrap' && !existsSync(link)) symlinkSync(join(from, name), link);
    }
  }
  return folder;
}
