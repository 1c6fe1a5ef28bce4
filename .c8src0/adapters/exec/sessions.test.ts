import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { RunnableCommand } from '../../ports/sandbox.ts';
import type { RunLimits, CommandSessions, YieldedCommand } from '../../ports/commands.ts';
import { withControllingTerminal } from '../tools/exec-command.ts';
import { createNodeSpawn } from './node-spawn.ts';
import { createCommandSessionLogs, createCommandSessions } from './sessions.ts';

const folder = mkdtempSync(join(tmpdir(), 'capstan-sessions-'));
const clock = { now: () => performance.now(), sleep: () => Promise.resolve() };
const terminalLibrary = join(
  import.meta.dirname,
  `../../../node_modules/@lydell/node-pty-${process.platform}-${process.arch}/pty.node`,
);
const spawn = createNodeSpawn({ clock, runFolder: folder, terminalLibrary });
const opened: CommandSessions[] = [];
const never = new AbortController().signal;

afterAll(async () => {
  await Promise.all(opened.map((sessions) => sessions.close()));
  rmSync(folder, { recursive: true, force: true });
});

function table(): CommandSessions {
  const sessions = createCommandSessions({
    spawn,
    clock,
    random: Math.random,
    logs: createCommandSessionLogs(join(folder, 'logs')),
  });
  opened.push(sessions);
  return sessions;
}

function command(argv: readonly string[]): RunnableCommand {
  const env = { PATH: process.env['PATH'] ?? '', TERM: 'xterm', LC_ALL: 'C.UTF-8' };
  return { kind: 'runnable', argv, cwd: folder, env, files: [], cleanup: async () => {} };
}

const script = (text: string): RunnableCommand => command(['bash', '-c', text]);
const until = (file: string): string => `while [ ! -e ${file} ]; do sleep 0.01; done`;
const atTerminal = (text: string): RunnableCommand => command(withControllingTerminal(['bash', '-c', text]));

async function yielded(
  sessions: CommandSessions,
  started: RunnableCommand,
  limits: Partial<RunLimits> = {},
): Promise<YieldedCommand> {
  const end = await sessions.run(started, { input: 'closed', yieldMs: 250, ...limits }, { signal: never });
  if (end.kind !== 'yielded') throw new Error(`not a session: ${JSON.stringify(end)}`);
  return end;
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

describe('a command', () => {
  test('that ends while the call waits is no session, and does not wait for its time', async () => {
    const limits = { input: 'closed', yieldMs: 600_000 } as const;
    const end = await table().run(script('echo done; exit 4'), limits, { signal: never });
    expect(end).toMatchObject({ kind: 'exited', exitCode: 4, output: { text: 'done\n' } });
  });

  test('is killed at its limit, also when it is a session by then', async () => {
    const sessions = table();
    const limits = { input: 'closed', yieldMs: 30_000, timeoutMs: 300 } as const;
    const early = await sessions.run(script('sleep 1000'), limits, { signal: never });
    expect(early).toMatchObject({ kind: 'timed-out' });
    const { session } = await yielded(sessions, script('sleep 1000'), { timeoutMs: 600 });
    expect(await session.ended).toMatchObject({ fate: 'timed-out' });
    const news = await sessions.write(session.id, { text: '', waitMs: 5000 }, never);
    expect(news).toMatchObject({ kind: 'ended', fate: 'timed-out' });
  });

  test('ends with its signal as long as it is no session, and runs on afterwards', async () => {
    const sessions = table();
    const stopping = new AbortController();
    const limits = { input: 'closed', yieldMs: 30_000 } as const;
    const [begun, go] = [join(folder, 'begun'), join(folder, 'go')];
    const run = sessions.run(script(`echo begun; touch ${begun}; sleep 1000`), limits, { signal: stopping.signal });
    await expect.poll(() => existsSync(begun)).toBe(true);
    stopping.abort();
    expect(await run).toMatchObject({ kind: 'aborted', output: { text: 'begun\n' } });
    const { session } = await yielded(sessions, script(`${until(go)}; echo later`));
    const looking = sessions.write(session.id, { text: '', waitMs: 30_000 }, AbortSignal.timeout(300));
    expect(await looking).toMatchObject({ kind: 'running' });
    writeFileSync(go, '');
    const news = await sessions.write(session.id, { text: '', waitMs: 30_000 }, never);
    expect(news).toMatchObject({ output: { text: 'later\n' } });
  });
});

describe('a look', () => {
  test('gives only what is new, soon after the command is quiet', async () => {
    const sessions = table();
    const go = join(folder, 'go-on');
    const { session, output } = await yielded(sessions, script(`echo a; ${until(go)}; echo b; sleep 1000`));
    const look = () => sessions.write(session.id, { text: '', waitMs: 600_000 }, never);
    // A busy machine starts the command later than it is waited for.
    const first = output.text === '' ? await look() : { output };
    expect(first).toMatchObject({ output: { text: 'a\n' } });
    writeFileSync(go, '');
    expect(await look()).toMatchObject({ kind: 'running', output: { text: 'b\n' } });
  });

  test('of two sessions at once waits for neither; of one, one after the other', async () => {
    const sessions = table();
    const slow = script('sleep 1000');
    const [one, two] = [await yielded(sessions, slow), await yielded(sessions, slow)];
    const look = (id: number, waitMs: number, signal = never) => sessions.write(id, { text: '', waitMs }, signal);
    const stopping = new AbortController();
    const long = look(one.session.id, 600_000, stopping.signal);
    expect(await look(two.session.id, 250)).toMatchObject({ kind: 'running' });
    stopping.abort();
    expect(await long).toMatchObject({ kind: 'running' });
    const begun = performance.now();
    await Promise.all([look(one.session.id, 500), look(one.session.id, 500)]);
    expect(performance.now() - begun).toBeGreaterThan(950);
  });
});

test('a flood is counted, and neither held nor kept beyond its limits', { timeout: 120_000 }, async () => {
  const sessions = table();
  const { session, log = '' } = await yielded(
    sessions,
    script(`sleep 0.5; head -c 100000000 /dev/zero | tr '\\0' x; echo; echo end; sleep 1000`),
  );
  const before = process.memoryUsage.rss();
  let [total, text] = [0, ''];
  while (!text.endsWith('end\n')) {
    const news = await sessions.write(session.id, { text: '', waitMs: 60_000 }, never);
    if (!('output' in news)) throw new Error(news.kind);
    total += news.output.totalBytes;
    text = news.output.text;
    expect(text.length).toBeLessThan(1_100_000);
  }
  expect(total).toBe(100_000_005);
  expect(session.said().text).toContain('bytes omitted');
  expect(readFileSync(log).length).toBeLessThan(17 * 1024 * 1024);
  expect(process.memoryUsage.rss() - before).toBeLessThan(100 * 1024 * 1024);
});

test('what ignores polite signals is ended all the same, with what it started', async () => {
  const sessions = table();
  const mark = `stubborn-${process.pid}`;
  const { session } = await yielded(
    sessions,
    script(`trap '' TERM INT HUP; (trap '' TERM; exec -a ${mark} sleep 1000) & wait`),
  );
  expect(survivors(mark)).toBeGreaterThan(0);
  await sessions.end(session.id, 'narrowed');
  expect(await session.ended).toMatchObject({ fate: 'narrowed' });
  expect(survivors(mark)).toBe(0);
  expect(await sessions.write(session.id, { text: 'x', waitMs: 250 }, never)).toEqual({
    kind: 'no-session',
    fate: 'narrowed',
  });
});

describe('at a terminal', () => {
  const limits = { input: 'terminal', yieldMs: 10_000 } as const;

  test('a command has one, with its signals and its size', async () => {
    const sessions = table();
    // Without a trap, bash goes on if the signal comes while `sleep` ends by itself.
    const watch = `trap 'exit 130' INT; trap 'echo size $(stty size)' WINCH; stty size; [ -t 0 ] && [ -t 1 ] && [ -t 2 ] && : </dev/tty && echo own`;
    const { session, output } = await yielded(
      sessions,
      atTerminal(`${watch}; printf '> '; while :; do sleep 0.1; done`),
      limits,
    );
    expect(output.text).toBe('24 80\r\nown\r\n> ');
    sessions.resize(session.id, { columns: 100, rows: 30 });
    const resized = await sessions.write(session.id, { text: '', waitMs: 5000 }, never);
    expect(resized).toMatchObject({ output: { text: expect.stringContaining('size 30 100') } });
    const interrupted = await sessions.write(session.id, { text: '\u{3}', waitMs: 2000 }, never);
    expect(interrupted).toMatchObject({ kind: 'ended', exitCode: 130 });
  });

  test.runIf(existsSync('/usr/bin/less') || existsSync('/bin/less'))('a full-screen program works', async () => {
    const sessions = table();
    const { session, output } = await yielded(sessions, atTerminal('seq 1 500 | less'), limits);
    expect(output.text).toContain('\r\n20\r\n');
    const next = await sessions.write(session.id, { text: ' ', waitMs: 5000 }, never);
    expect(next).toMatchObject({ kind: 'running', output: { text: expect.stringMatching(/\b40\b/) } });
    expect(await sessions.write(session.id, { text: 'q', waitMs: 5000 }, never)).toMatchObject({ exitCode: 0 });
  });

  test('jobs of a shell end with it, and no other command gets the terminal', async () => {
    const sessions = table();
    const mark = `job-${process.pid}`;
    const shell = command(withControllingTerminal(['bash', '--norc', '-i']));
    const { session } = await yielded(sessions, shell, limits);
    await sessions.write(session.id, { text: `(exec -a ${mark} sleep 1000) &\n`, waitMs: 1000 }, never);
    await expect.poll(() => survivors(mark)).toBe(1);
    const other = await sessions.run(
      script('ls -l /proc/self/fd'),
      { input: 'closed', yieldMs: 5000 },
      { signal: never },
    );
    expect(JSON.stringify(other)).not.toContain('ptmx');
    await sessions.end(session.id, 'closed');
    expect(survivors(mark)).toBe(0);
  });

  test('there is none where its package is missing, and the command does not run', async () => {
    const spawning = createNodeSpawn({ clock, runFolder: folder, terminalLibrary: '/nowhere/pty.node' });
    const started = await spawning.start(atTerminal('touch ran'), { input: 'terminal', output: () => {} });
    expect(started).toMatchObject({ kind: 'not-started', reason: expect.stringContaining('@lydell/node-pty') });
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });
});

test('64 run at once; one more ends the one that was used least, exited ones first, and never the newest', async () => {
  const sessions = table();
  const all: YieldedCommand[] = [];
  for (let i = 0; i < 64; i += 8) {
    const batch = Array.from({ length: 8 }, (_, at) =>
      yielded(sessions, script(i + at === 5 ? 'sleep 2' : 'sleep 1000')),
    );
    all.push(...(await Promise.all(batch)));
  }
  expect(new Set(all.map(({ session }) => session.id)).size).toBe(64);
  const ids = all.map(({ session }) => session.id);
  expect(all.flatMap(({ pruned }) => pruned)).toEqual([]);
  const exited = all[5]!.session;
  await exited.ended;
  const use = (id: number) => sessions.write(id, { text: '', waitMs: 250 }, never);
  await use(ids[0]!);
  const first = await yielded(sessions, script('sleep 1000'));
  expect(first.pruned).toEqual([exited.id]);
  const second = await yielded(sessions, script('sleep 1000'));
  const [gone] = second.pruned;
  expect(ids.slice(1, 9)).toContain(gone);
  expect(await use(gone!)).toEqual({ kind: 'no-session', fate: 'pruned' });
  await sessions.close();
  expect(await all[20]!.session.ended).toMatchObject({ fate: 'closed' });
});
