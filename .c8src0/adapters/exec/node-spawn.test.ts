import { spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { RunnableCommand } from '../../ports/sandbox.ts';
import { createNodeSpawn } from './node-spawn.ts';

const folder = mkdtempSync(join(tmpdir(), 'capstan-exec-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const clock = { now: () => performance.now(), sleep: () => Promise.resolve() };
const { run } = createNodeSpawn({ clock, runFolder: folder });
const limits = { timeoutMs: 10_000, outputBytes: 1_000_000 };
const never = { signal: new AbortController().signal };

function script(text: string, more: Partial<RunnableCommand> = {}): RunnableCommand {
  const env = { PATH: process.env['PATH'] ?? '' };
  return {
    kind: 'runnable',
    argv: ['bash', '-c', text],
    cwd: folder,
    env,
    files: [],
    cleanup: async () => {},
    ...more,
  };
}

/** A duration for `sleep` that only this process uses: runs beside each other must not see each other's commands. */
function ownSeconds(seconds: number): string {
  return `${seconds}.${String(process.pid).padStart(7, '0')}`;
}

/** The number of processes with the mark in their command line. */
function survivors(mark: string): number {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark);
    } catch {
      return false;
    }
  }).length;
}

describe('output', () => {
  test('both streams arrive as one, in the order they were written', async () => {
    const end = await run(script('for i in $(seq 200); do echo out $i; echo err $i >&2; done'), limits, never);
    const expected = Array.from({ length: 200 }, (_, i) => `out ${i + 1}\nerr ${i + 1}\n`).join('');
    expect(end).toMatchObject({ kind: 'exited', exitCode: 0, output: { text: expected, totalBytes: expected.length } });
  });

  test('the streams can be opened by name', async () => {
    const end = await run(
      script('echo a > /dev/stdout; echo b > /dev/stderr; echo c | tee /dev/stderr'),
      limits,
      never,
    );
    expect(end).toMatchObject({ exitCode: 0, output: { text: 'a\nb\nc\nc\n' } });
  });

  test('characters survive the borders of chunks', async () => {
    const end = await run(
      script(String.raw`printf '\xe2'; sleep 0.05; printf '\x82'; sleep 0.05; printf '\xac'`),
      limits,
      never,
    );
    expect(end).toMatchObject({ output: { text: '€', totalBytes: 3 } });
  });

  test('a flood is cut in the middle and counted', async () => {
    const end = await run(script('seq 1000000'), { ...limits, outputBytes: 20 }, never);
    expect(end).toMatchObject({
      output: {
        text: '1\n2\n3\n4\n5\n... 6888876 bytes in 999993 lines omitted ...\n9\n1000000\n',
        totalBytes: 6_888_896,
      },
    });
  });

  test('stdin is empty, and the environment is what was given', async () => {
    const end = await run(
      script('cat; env | sort', { env: { PATH: '/usr/bin:/bin', 'ODD-NAME': 'x y' } }),
      limits,
      never,
    );
    const names = (end as { output: { text: string } }).output.text.match(/^[^=]+/gm);
    expect(names).toEqual(expect.arrayContaining(['ODD-NAME', 'PATH']));
    expect(
      names?.filter((name) => !['CAPSTAN_COMMAND', 'ODD-NAME', 'PATH', 'PWD', 'SHLVL', '_'].includes(name)),
    ).toEqual([]);
  });
});

describe('ends', () => {
  test.each([
    ['exit 7', 7],
    ['kill -KILL $$', 137],
    ['kill -TERM $$', 143],
  ])('%s: %j', async (text, exitCode) => {
    expect(await run(script(text), limits, never)).toMatchObject({ kind: 'exited', exitCode });
  });

  test.each([
    [{ argv: ['no-such-program'] }, 'The program "no-such-program" was not found.'],
    [{ argv: ['/'] }, 'The program "/" is not executable.'],
    [{ cwd: '/no/such/folder' }, 'The working folder "/no/such/folder" does not exist.'],
    [{ cwd: '/dev/null' }, 'The working folder "/dev/null" is not a folder.'],
    [
      { argv: ['echo', 'x'.repeat(5_000_000)] },
      'The command line and its environment are longer than the system allows.',
    ],
    [{ argv: ['echo', 'a\0b'] }, /^The command could not be started: /],
    [{ argv: [] }, /^The command could not be started: /],
  ])('not started: %#', async (change, reason) => {
    const expected: unknown = expect.stringMatching(reason);
    expect(await run(script('true', change), limits, never)).toEqual({ kind: 'not-started', reason: expected });
  });

  test('tidies up once, whatever happened', async () => {
    let count = 0;
    const cleanup = async () => void (count += 1);
    await run(script('true', { cleanup }), limits, never);
    await run(script('true', { cleanup, argv: ['no-such-program'] }), limits, never);
    await run(script('sleep 5', { cleanup }), { ...limits, timeoutMs: 20 }, never);
    await run(script('true', { cleanup }), limits, { signal: AbortSignal.abort() });
    expect(count).toBe(4);
  });

  test('many commands at once keep their outputs apart', async () => {
    const ends = await Promise.all(
      Array.from({ length: 40 }, (_, i) => run(script(`sleep 0.0${i % 5}; echo ${i}`), limits, never)),
    );
    expect(ends.map((end) => end.kind === 'exited' && end.output.text)).toEqual(ends.map((_, i) => `${i}\n`));
  });
});

describe('kills', () => {
  test('at the time-out, with everything the command started', async () => {
    const seconds = ownSeconds(271_828);
    const mark = `sleep ${seconds}`;
    const end = await run(
      script(`${mark} & (trap '' TERM; ${mark} & wait) & echo up; wait`),
      { ...limits, timeoutMs: 3000 },
      never,
    );
    expect(end).toMatchObject({ kind: 'timed-out', output: { text: 'up\n' } });
    expect(survivors(seconds)).toBe(0);
  });

  test('politely first', async () => {
    const stop = new AbortController();
    const ready = join(folder, 'polite');
    const polite = `trap 'echo bye; exit' TERM; echo up; touch ${ready}; while :; do sleep 0.01; done`;
    const ended = run(script(polite), limits, stop);
    await expect.poll(() => existsSync(ready)).toBe(true);
    stop.abort();
    expect(await ended).toMatchObject({
      kind: 'aborted',
      output: { text: expect.stringMatching(/^up\n[^]*bye\n$/) as string },
    });
    rmSync(ready);
  });

  test('firmly after the grace', async () => {
    const end = await run(script("trap '' TERM; while :; do sleep 0.01; done"), { ...limits, timeoutMs: 1000 }, never);
    expect(end.kind).toBe('timed-out');
    expect((end as { durationMs: number }).durationMs).toBeGreaterThan(1450);
  });

  test('when the signal aborts, and not even started when it already has', async () => {
    const stop = new AbortController();
    const ready = join(folder, 'ready');
    const seconds = ownSeconds(314_159);
    const watch = setInterval(() => existsSync(ready) && stop.abort(), 5);
    expect(await run(script(`echo up; touch ${ready}; sleep ${seconds}`), limits, stop)).toMatchObject({
      kind: 'aborted',
      output: { text: 'up\n' },
    });
    clearInterval(watch);
    rmSync(ready);
    expect(survivors(seconds)).toBe(0);
    expect(await run(script('echo up'), limits, stop)).toMatchObject({
      kind: 'aborted',
      output: { text: '', totalBytes: 0 },
    });
  });

  test('a background process that holds the output does not hold the call', async () => {
    const seconds = ownSeconds(161_803);
    const end = await run(script(`sleep ${seconds} & echo done`), limits, never);
    expect(end).toMatchObject({ kind: 'exited', exitCode: 0, output: { text: 'done\n' } });
    expect(survivors(seconds)).toBe(0);
  });
});

describe('extra files', () => {
  test('are open for reading from descriptor 3 on, however large', async () => {
    const large = Buffer.alloc(3_000_000, 'x');
    const files = [Buffer.from('first'), large, Buffer.from('')];
    const end = await run(script('cat <&3; echo; wc -c <&4; wc -c <&5', { files }), limits, never);
    expect((end as { output: { text: string } }).output.text.split(/\s+/)).toEqual(['first', '3000000', '0', '']);
  });

  test('need not be read', async () => {
    const files = [Buffer.alloc(3_000_000)];
    expect(await run(script('echo ok', { files }), limits, never)).toMatchObject({
      exitCode: 0,
      output: { text: 'ok\n' },
    });
  });
});

test.runIf(process.platform === 'linux')('descriptors that the parent left open do not reach commands', () => {
  const door = openSync('/', 'r');
  const text = `
    import { createNodeSpawn } from ${JSON.stringify(join(import.meta.dirname, 'node-spawn.ts'))};
    const spawn = createNodeSpawn({ clock: { now: () => 0 }, runFolder: ${JSON.stringify(folder)} });
    const command = { kind: 'runnable', argv: ['bash', '-c', 'readlink /proc/$$/fd/*; cat <&3'], cwd: '/', env: process.env, files: [Buffer.from('given')], cleanup: async () => {} };
    const end = await spawn.run(command, { timeoutMs: 5000, outputBytes: 10000 }, { signal: new AbortController().signal });
    console.log(end.output.text);`;
  const stdio = ['ignore', 'pipe', 'inherit', ...Array.from({ length: 20 }, () => 'ignore' as const), door] as const;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', text], {
    stdio: [...stdio],
    encoding: 'utf8',
  });
  closeSync(door);
  expect(stdout).toContain('given');
  expect(stdout.split('\n')).not.toContain('/');
});

test.runIf(process.platform === 'linux')('many who start commands keep no more descriptors than one', async () => {
  const descriptors = (): number => readdirSync('/proc/self/fd').length;
  await run(script('true'), limits, never);
  const before = descriptors();
  for (let i = 0; i < 12; i++) await createNodeSpawn({ clock, runFolder: folder }).run(script('true'), limits, never);
  // At most two batches of pipes are in stock or on their way, with two ends each.
  expect(descriptors() - before).toBeLessThan(36);
});

test('a process that ends at once leaves nothing behind', async () => {
  const text = `
    import { createNodeSpawn } from ${JSON.stringify(join(import.meta.dirname, 'node-spawn.ts'))};
    const spawn = createNodeSpawn({ clock: { now: () => 0 }, runFolder: ${JSON.stringify(folder)} });
    const command = { kind: 'runnable', argv: ['sleep', '141421'], cwd: '/', env: process.env, files: [], cleanup: async () => {} };
    spawn.run(command, { timeoutMs: 5000, outputBytes: 10000 }, { signal: new AbortController().signal });
    setTimeout(() => process.exit(), Number(process.argv[1]));`;
  for (const delay of ['0', '2', '200']) spawnSync(process.execPath, ['--input-type=module', '-e', text, delay]);
  await vi.waitUntil(() => survivors('141421') === 0, { timeout: 20_000, interval: 5 });
  expect(readdirSync(folder)).toEqual([]);
});

describe.runIf(process.platform === 'linux')('a process that is killed', () => {
  /** Starts commands in a process of its own, and kills that when all of them have said that they run. */
  async function killWhenUp(...scripts: readonly string[]): Promise<void> {
    const text = `
      import { createNodeSpawn } from ${JSON.stringify(join(import.meta.dirname, 'node-spawn.ts'))};
      const spawn = createNodeSpawn({ clock: { now: () => 0 }, runFolder: ${JSON.stringify(folder)} });
      for (const script of ${JSON.stringify(scripts)}) {
        const command = { kind: 'runnable', argv: ['bash', '-c', script], cwd: '/', env: process.env, files: [], cleanup: async () => {} };
        spawn.run(command, { timeoutMs: 60000, outputBytes: 10000 }, { signal: new AbortController().signal });
      }`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', text], { stdio: 'ignore' });
    const closed = new Promise((resolve) => child.on('close', resolve));
    await vi.waitUntil(() => scripts.every((script) => survivors(script) > 0), { timeout: 20_000, interval: 1 });
    child.kill('SIGKILL');
    await closed;
  }

  test.each([
    ['a command', 173_205, (sleep: string) => `${sleep}; :`],
    ['what the command started', 173_206, (sleep: string) => `${sleep} & ${sleep}; :`],
    ['what left the session of the command', 173_207, (sleep: string) => `setsid ${sleep} & ${sleep}; :`],
  ])('takes %s with it', async (_what, seconds, textWith) => {
    const mark = ownSeconds(seconds);
    await killWhenUp(textWith(`sleep ${mark}`));
    await expect.poll(() => survivors(mark), { timeout: 20_000, interval: 5 }).toBe(0);
  });
});

test('leaves nothing in the run folder', () => {
  expect(readdirSync(folder)).toEqual([]);
});

describe.runIf(process.platform === 'linux')('a folder that was decided on', () => {
  const decided = (name: string): Partial<RunnableCommand> => ({
    cwd: join(realpathSync(folder), name),
    decidedFolder: true,
  });

  test('is started in by its handle, and has its own name there', async () => {
    mkdirSync(join(folder, 'real'));
    const end = await run(script('pwd; pwd -P; ls -A', decided('real')), limits, never);
    const place = join(realpathSync(folder), 'real');
    expect(end).toMatchObject({ exitCode: 0, output: { text: `${place}\n${place}\n` } });
  });

  test.each([
    ['a link', (at: string) => symlinkSync('elsewhere', at)],
    ['nothing', () => {}],
  ])('is not started in when %s stands in its place', async (_name, replace) => {
    const at = join(folder, 'swapped');
    mkdirSync(join(folder, 'elsewhere'), { recursive: true });
    mkdirSync(at);
    renameSync(at, join(folder, `old-${_name}`));
    replace(at);
    const end = await run(script('touch made', decided('swapped')), limits, never);
    rmSync(at, { force: true });
    expect(end).toEqual({ kind: 'not-started', reason: expect.stringMatching(/swapped" was removed or replaced/) });
    expect(existsSync(join(folder, 'elsewhere/made'))).toBe(false);
  });

  test('leaves no handle behind', async () => {
    mkdirSync(join(folder, 'often'));
    await run(script('true', decided('often')), limits, never);
    const held = readdirSync('/proc/self/fd').filter((name) => {
      try {
        return readlinkSync(`/proc/self/fd/${name}`).endsWith('/often');
      } catch {
        return false;
      }
    });
    expect(held).toEqual([]);
  });
});
