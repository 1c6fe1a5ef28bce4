import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createShellEnvironment } from '../../src/exec/shell-environment.ts';
import { systemClock } from '../../src/gather/system-clock.ts';
import { defaultShellEnvironmentPolicy } from '../../src/policy/shell-environment-policy.ts';

/** The login shell runs outside of every sandbox, so nothing that a repository holds may become a part of it. */
let root: string;
let home: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'capstan-login-shell-'));
  home = join(root, 'home');
  mkdirSync(home);
});
afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 }));

function variables(env: Readonly<Record<string, string>>) {
  const shellEnvironment = createShellEnvironment({
    env: { HOME: home, PATH: '/usr/bin:/bin', ...env },
    loginShell: {
      shell: '/bin/bash',
      home,
      program: {
        node: process.execPath,
        path: join(import.meta.dirname, '../../src/exec/login-shell/keep-variables.ts'),
      },
      policy: defaultShellEnvironmentPolicy,
      secretNames: [],
      clock: systemClock,
    },
  });
  return shellEnvironment.variables({ signal: new AbortController().signal, warn: () => {} });
}

const programs = ['env', 'printf', 'node', 'cat', 'sh', 'bash', 'test', '[', 'exec', 'export', 'unset', 'command'];

/** A folder of programs that say that they ran. */
function plant(folder: string): string {
  mkdirSync(folder, { recursive: true });
  for (const name of programs) {
    writeFileSync(join(folder, name), `#!/bin/bash\n: > "${root}/ran-${name.replace('[', 'bracket')}"\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

const ran = () => readdirSync(root).filter((name) => name.startsWith('ran-'));

test('programs planted in a folder of the PATH do not run', async () => {
  const planted = plant(join(root, 'workspace/node_modules/.bin'));
  writeFileSync(join(home, '.bash_profile'), `export PATH="${planted}:$PATH" A=1\n`);
  expect(await variables({ PATH: `${planted}:/usr/bin:/bin` })).toMatchObject({ A: '1' });
  expect(ran()).toEqual([]);
});

test('a start-up script that the caller names, and functions in his variables, are not run', async () => {
  const script = join(root, 'script.sh');
  writeFileSync(script, `: > "${root}/ran-script"\n`);
  writeFileSync(join(home, '.bash_profile'), 'export A=1\n');
  const functions = { 'BASH_FUNC_export%%': `() { : > "${root}/ran-function"; builtin export "$@"; }` };
  const options = { NODE_OPTIONS: `--require ${script}` };
  expect(await variables({ BASH_ENV: script, ENV: script, ...functions, ...options })).toMatchObject({ A: '1' });
  expect(ran()).toEqual([]);
});

test('a folder of the workspace is not where the login shell starts', async () => {
  writeFileSync(join(home, '.bash_profile'), 'export WHERE="$(pwd)"\n');
  expect(await variables({})).toMatchObject({ WHERE: home });
});
