import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { defaultShellEnvironmentPolicy } from '../../src/core/policy/environment/shell-environment-policy.ts';
import type { Clock } from '../../src/ports/system.ts';
import type { Outcome } from '../../src/protocol/outcome.ts';
import type { LoginShellOptions } from '../../src/adapters/exec/login-shell/login-shell.ts';
import { createShellEnvironment, createShellEnvironments } from '../../src/adapters/exec/shell-environment.ts';
import { builtProgram } from '../harness/built-program.ts';

const root = mkdtempSync(join(tmpdir(), 'capstan-shell-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let count = 0;
let home: string;
let folder: string;
beforeEach(() => {
  home = join(root, `home-${++count}`);
  folder = join(home, '.capstan/capstan/shell');
  mkdirSync(home);
});

const env = (): Record<string, string> => ({ HOME: home, PATH: '/usr/bin:/bin', OWN: '1', SHLVL: '3', PWD: '/x' });
const own = () => ({ HOME: home, PATH: '/usr/bin:/bin', OWN: '1' });
const program = {
  node: process.execPath,
  path: builtProgram({ built: 'dist/keep-variables.js', source: 'src/adapters/exec/login-shell/keep-variables.ts' }),
};
const hour = 60 * 60 * 1000;

/** A sleep ends only when the test lets time pass: nothing is ever late by itself. */
class TestClock implements Clock {
  #passed = 0;
  readonly #sleepers = new Set<{ readonly at: number; wake(): void }>();

  now(): number {
    return Date.now() + this.#passed;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#sleepers.add({ at: this.now() + milliseconds, wake: resolve });
      signal?.addEventListener('abort', () => resolve());
      if (signal?.aborted === true || milliseconds === 0) setImmediate(resolve);
    });
  }

  pass(milliseconds: number): void {
    this.#passed += milliseconds;
    for (const sleeper of this.#sleepers) if (sleeper.at <= this.now()) sleeper.wake();
  }
}

/** The start-up file counts how often it ran. */
function profile(text: string): void {
  writeFileSync(join(home, '.bash_profile'), `echo run >> ~/runs\n${text}\n`);
}

function runs(): number {
  return existsSync(join(home, 'runs')) ? readFileSync(join(home, 'runs'), 'utf8').split('\n').length - 1 : 0;
}

function asked(more: Partial<LoginShellOptions> = {}, caller: Record<string, string> = env()) {
  const loginShell = {
    shell: '/bin/bash',
    home,
    program,
    folder,
    policy: defaultShellEnvironmentPolicy,
    secretNames: ['ACME_ACCESS'],
    clock: new TestClock(),
    ...more,
  };
  return createShellEnvironment({ env: caller, loginShell });
}

const warnings: Outcome[] = [];
const request = { signal: new AbortController().signal, warn: (outcome: Outcome) => warnings.push(outcome) };
beforeEach(() => warnings.splice(0));

const variables = (more: Partial<LoginShellOptions> = {}, caller = env()) => asked(more, caller).variables(request);

/** The program at the end of the shell keeps its answer a moment after it reported it, and then lets the lock go. */
const isKept = () =>
  vi.waitFor(() => expect(readdirSync(folder)).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.json$/)]), {
    timeout: 20_000,
    interval: 5,
  });
const keptFile = () => join(folder, readdirSync(folder)[0] as string);

test('the login shell adds what the caller lacks, and its noise counts for nothing', async () => {
  profile(
    `echo welcome; echo warning >&2; export PATH="$HOME/bin:/usr/bin:/sbin" OWN=2 MULTI=$'a\\nb=c' EMPTY=; trap 'echo bye' EXIT`,
  );
  expect(await variables()).toEqual({
    HOME: home,
    PATH: `/usr/bin:/bin:${home}/bin:/sbin`,
    OWN: '1',
    SHELL: '/bin/bash',
    MULTI: 'a\nb=c',
    EMPTY: '',
  });
});

test('the login shell sees nothing of the caller but what a login has', async () => {
  profile('export SEEN="${OWN-nothing} ${LANG-nothing}"');
  expect(await variables({}, { ...env(), LANG: 'C' })).toMatchObject({ SEEN: 'nothing C' });
});

test('options of Node do not change how the answer is reported', async () => {
  profile(`export NODE_OPTIONS='--require /no/such/module'`);
  expect(await variables()).toMatchObject({ NODE_OPTIONS: '--require /no/such/module' });
});

test('without a login shell the variables are those of the process', async () => {
  expect(await createShellEnvironment({ env: env() }).variables(request)).toEqual(own());
});

test('the shell is asked once, by many commands at once too', async () => {
  profile('export A=1');
  const shellEnvironment = asked();
  const [first, second] = await Promise.all([shellEnvironment.variables(request), shellEnvironment.variables(request)]);
  expect(second).toEqual(first);
  expect(await shellEnvironment.variables(request)).toEqual(first);
  expect(runs()).toBe(1);
});

test('threads that ask the same share the answer, and others have their own', async () => {
  profile('export A=1');
  const loginShell = {
    shell: '/bin/bash',
    home,
    program,
    policy: defaultShellEnvironmentPolicy,
    secretNames: [],
    clock: new TestClock(),
  };
  const environments = createShellEnvironments(env());
  await Promise.all([loginShell, { ...loginShell }].map((each) => environments(each).variables(request)));
  expect(runs()).toBe(1);
  await environments({ ...loginShell, secretNames: ['A'] }).variables(request);
  expect(runs()).toBe(2);
  expect(await environments(undefined).variables(request)).toEqual(own());
});

test('the answer is kept for the next process, without secrets and readable for the user alone', async () => {
  profile('export A=1 MY_TOKEN=t ACME_ACCESS=a LEFT_OUT=l');
  const policy = { ...defaultShellEnvironmentPolicy, exclude: ['LEFT_*'] };
  const first = await variables({ policy });
  expect(first).toMatchObject({ A: '1', MY_TOKEN: 't', ACME_ACCESS: 'a', LEFT_OUT: 'l' });
  await isKept();
  expect(JSON.parse(readFileSync(keptFile(), 'utf8'))).toEqual({
    at: expect.any(Number),
    variables: {
      HOME: home,
      PATH: expect.stringMatching(/^\//),
      SHELL: '/bin/bash',
      A: '1',
    },
  });
  expect([statSync(keptFile()).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700]);
  expect(await variables({ policy }, { ...env(), A: 'mine' })).toEqual({
    ...own(),
    PATH: first['PATH'],
    SHELL: '/bin/bash',
    A: 'mine',
  });
  expect(runs()).toBe(1);
});

test('a start-up file that changed, another policy and another user of the answer ask again', async () => {
  profile('export A=1');
  await variables();
  await isKept();
  profile('export A=2');
  expect(await variables()).toMatchObject({ A: '2' });
  expect(await variables({ policy: { ...defaultShellEnvironmentPolicy, inherit: 'core' } })).toMatchObject({ A: '2' });
  expect(await variables({}, { ...env(), USER: 'x' })).toMatchObject({ A: '2' });
  expect(runs()).toBe(4);
});

test('an answer that is an hour old serves once more while another is made; one of a day ago does not', async () => {
  profile('export A=$(wc -l < ~/runs)');
  await variables();
  await isKept();
  const aged = (ms: number) => {
    const { at, ...kept } = JSON.parse(readFileSync(keptFile(), 'utf8'));
    writeFileSync(keptFile(), JSON.stringify({ at: at - ms, ...kept }));
  };
  aged(2 * hour);
  expect(await variables()).toMatchObject({ A: '1' });
  await vi.waitFor(async () => expect(await variables()).toMatchObject({ A: '2' }), { timeout: 20_000, interval: 5 });
  expect(runs()).toBe(2);
  await isKept();
  aged(25 * hour);
  expect(await variables()).toMatchObject({ A: '3' });
});

const linked = (kept: string) => {
  renameSync(kept, join(home, 'real'));
  symlinkSync(join(home, 'real'), kept);
};
const piped = (kept: string) => {
  rmSync(kept);
  execFileSync('mkfifo', ['-m', '600', kept]);
};

test.each<[string, (kept: string) => void]>([
  ['a link', linked],
  ['a pipe', piped],
  ['a file that others can write', (kept) => chmodSync(kept, 0o620)],
  ['no JSON', (kept) => writeFileSync(kept, '{')],
  ['a value that no process can have', (kept) => writeFileSync(kept, '{"at":1,"variables":{"A":"\\u0000"}}')],
  ['a time that has not come', (kept) => writeFileSync(kept, `{"at":${Date.now() + hour},"variables":{}}`)],
])('what is kept counts only as we wrote it: %s', async (_, change) => {
  profile('export A=1');
  await variables();
  await isKept();
  change(keptFile());
  expect(await variables()).toMatchObject({ A: '1' });
  expect(runs()).toBe(2);
});

test('a folder that others can write is not used', async () => {
  profile('export A=1');
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o777);
  expect(await variables()).toMatchObject({ A: '1' });
  expect(readdirSync(folder)).toEqual([]);
});

test('a policy that hands secrets on has them from the shell each time: nothing is kept', async () => {
  profile('export MY_TOKEN=t');
  const policy = { ...defaultShellEnvironmentPolicy, ignoreDefaultExcludes: true };
  expect(await variables({ policy })).toMatchObject({ MY_TOKEN: 't' });
  expect(await variables({ policy })).toMatchObject({ MY_TOKEN: 't' });
  expect([runs(), existsSync(folder)]).toEqual([2, false]);
});

test.each([
  ['a start-up file that exits', 'exit 0'],
  ['a start-up file that fails', 'exit 3'],
  ['a start-up file that becomes another program', 'exec true'],
])('%s leaves the variables of the process, and no lock', async (_, text) => {
  profile(text);
  expect(await variables()).toEqual(own());
  expect(readdirSync(folder)).toEqual([]);
});

test('a shell that is missing leaves the variables of the process', async () => {
  expect(await variables({ shell: '/no/such/shell' })).toEqual(own());
  expect(await variables({ home: join(root, 'no-such-home') })).toEqual(own());
});

/** The start-up file waits until the test lets it go on. */
function slowProfile(text: string): { release(): void } {
  const door = join(home, 'door');
  execFileSync('mkfifo', [door]);
  writeFileSync(
    join(home, '.bash_profile'),
    `exec 9<> ~/door\necho run >> ~/runs\nread -r _ <&9\nexec 9<&-\n${text}\n`,
  );
  return {
    release() {
      // Throws when the shell is gone.
      const file = openSync(door, constants.O_WRONLY | constants.O_NONBLOCK);
      writeSync(file, 'go\n');
      closeSync(file);
    },
  };
}

const hasStarted = () => vi.waitFor(() => expect(runs()).toBeGreaterThan(0), { timeout: 20_000, interval: 5 });

test('a slow shell is reported once, waited for up to a limit, and left to finish', async () => {
  const shell = slowProfile('export A=1');
  const clock = new TestClock();
  const shellEnvironment = asked({ clock });
  const first = shellEnvironment.variables(request);
  const second = shellEnvironment.variables(request);
  await hasStarted();
  expect(warnings).toEqual([]);
  clock.pass(1000);
  await vi.waitFor(() => expect(warnings).toHaveLength(1), { timeout: 20_000 });
  expect(warnings[0]).toMatchObject({ code: 'login-shell-slow', message: expect.stringContaining('/bin/bash') });
  clock.pass(9000);
  expect([await first, await second]).toEqual([own(), own()]);
  // A later command does not wait again.
  expect(await shellEnvironment.variables(request)).toEqual(own());
  shell.release();
  await isKept();
  await vi.waitFor(async () => expect(await shellEnvironment.variables(request)).toMatchObject({ A: '1' }), {
    timeout: 20_000,
  });
  expect(await variables()).toMatchObject({ A: '1' });
  expect([runs(), warnings.length]).toEqual([1, 1]);
});

test('an interrupt ends the waiting at once, and the shell finishes by itself', async () => {
  const shell = slowProfile('export A=1');
  const interrupt = new AbortController();
  const waiting = asked().variables({ ...request, signal: interrupt.signal });
  await hasStarted();
  interrupt.abort();
  expect(await waiting).toEqual(own());
  shell.release();
  await isKept();
});

test('a process waits for the shell of another', async () => {
  const shell = slowProfile('export A=1');
  const first = asked().variables(request);
  await hasStarted();
  const other = new TestClock();
  const second = asked({ clock: other }).variables(request);
  shell.release();
  expect(await first).toMatchObject({ A: '1' });
  await isKept();
  await vi.waitFor(
    async () => {
      other.pass(100);
      expect(await Promise.race([second, 'waits'])).toMatchObject({ A: '1' });
    },
    { timeout: 20_000 },
  );
  expect(runs()).toBe(1);
});

test('a shell that has hung for long is not waited for, nor started again', async () => {
  const shell = slowProfile('export A=1');
  const waiting = asked().variables(request);
  await hasStarted();
  const late = new TestClock();
  late.pass(60_000);
  expect(await asked({ clock: late }).variables(request)).toEqual(own());
  expect(runs()).toBe(1);
  shell.release();
  expect(await waiting).toMatchObject({ A: '1' });
});

test('a lock whose process is dead holds up no other process', async () => {
  profile('export A=1');
  await variables();
  await isKept();
  const lock = keptFile().replace(/json$/, 'lock');
  rmSync(keptFile());
  writeFileSync(lock, `${process.pid} another life`, { mode: 0o600 });
  expect(await variables()).toMatchObject({ A: '1' });
  await isKept();
  expect(runs()).toBe(2);
});
