import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Spawn } from '../ports/spawn.ts';
import { createNodeSpawn } from './node-spawn.ts';
import { captureShellEnvironment } from './shell-environment.ts';

const home = mkdtempSync(join(tmpdir(), 'capstan-home-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const clock = { now: () => performance.now(), sleep: () => Promise.resolve() };
const real = createNodeSpawn({ clock, runFolder: home });
const ids = { uuid: () => '0192f0c1-2c1e-7000-8000-000000000000' };
const env = { HOME: home, PATH: '/usr/bin:/bin', OWN: '1', SHLVL: '3', PWD: '/x' };

function profile(text: string): void {
  writeFileSync(join(home, '.bash_profile'), text);
}

function capture(more: Partial<Parameters<typeof captureShellEnvironment>[0]> = {}) {
  return captureShellEnvironment({ shell: '/bin/bash', home, env, spawn: real, ids, ...more }).variables();
}

test('the profile counts, its noise does not', async () => {
  profile(
    `echo welcome; echo warning >&2; printf 'FAKE=1\\0'; export PATH="$HOME/bin:/usr/bin:/bin" MULTI=$'a\\nb=c' EMPTY=; trap 'echo bye' EXIT`,
  );
  expect(await capture()).toEqual({
    HOME: home,
    PATH: `${home}/bin:/usr/bin:/bin`,
    OWN: '1',
    MULTI: 'a\nb=c',
    EMPTY: '',
  });
});

test('the shell runs once for all calls', async () => {
  let runs = 0;
  const counting: Spawn = { run: (...call) => ((runs += 1), real.run(...call)) };
  const shellEnvironment = captureShellEnvironment({ shell: '/bin/bash', home, env, spawn: counting, ids });
  const [first, second] = await Promise.all([shellEnvironment.variables(), shellEnvironment.variables()]);
  expect(second).toBe(first);
  expect(await shellEnvironment.variables()).toBe(first);
  expect(runs).toBe(1);
});

const fallback = { HOME: home, PATH: '/usr/bin:/bin', OWN: '1' };

test.each([
  ['a profile that exits', 'exit 0'],
  ['a profile that fails', 'exit 3'],
  ['a profile without a search path', 'PATH='],
])('%s leaves the variables of the process', async (_, text) => {
  profile(text);
  expect(await capture()).toEqual(fallback);
});

test('a shell that is missing, or that never answers, leaves the variables of the process', async () => {
  expect(await capture({ shell: '/no/such/shell' })).toEqual(fallback);
  const slow = join(home, 'slow-shell');
  writeFileSync(slow, '#!/bin/bash\nsleep 60\n');
  chmodSync(slow, 0o755);
  const hurried: Spawn = { run: (command, limits, signal) => real.run(command, { ...limits, timeoutMs: 100 }, signal) };
  expect(await capture({ shell: slow, spawn: hurried })).toEqual(fallback);
});
