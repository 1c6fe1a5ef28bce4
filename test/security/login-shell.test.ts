// @module-tag attack
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createShellEnvironment } from '../../src/adapters/exec/shell-environment.ts';
import { systemClock } from '../../src/adapters/gather/clock-and-ids.ts';
import { isWithin } from '../../src/core/policy/paths/absolute-paths.ts';
import { defaultShellEnvironmentPolicy } from '../../src/core/policy/environment/shell-environment-policy.ts';
import type { ShellEnvironmentRequest } from '../../src/ports/commands.ts';
import type { Outcome } from '../../src/protocol/outcome.ts';
import { answer, callTool, type ItemDraft, say } from '../../src/testing/index.ts';
import { builtProgram } from '../harness/built-program.ts';
import { LiveThread } from '../harness/live-thread.ts';

/** The login shell runs outside of every sandbox, so nothing that a repository holds may become a part of it. */
let root: string;
let home: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'capstan-login-shell-'));
  home = join(root, 'home');
  mkdirSync(home);
});
afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 }));

function variables(env: Readonly<Record<string, string>>, more: Partial<ShellEnvironmentRequest> = {}) {
  const shellEnvironment = createShellEnvironment({
    env: { HOME: home, PATH: '/usr/bin:/bin', ...env },
    loginShell: {
      shell: '/bin/bash',
      home,
      program: {
        node: process.execPath,
        path: builtProgram({
          built: 'dist/keep-variables.js',
          source: 'src/adapters/exec/login-shell/keep-variables.ts',
        }),
      },
      policy: defaultShellEnvironmentPolicy,
      secretNames: [],
      clock: systemClock,
    },
  });
  return shellEnvironment.variables({ signal: new AbortController().signal, warn: () => {}, ...more });
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

test('programs planted in a folder of the PATH do not run', { tags: 'representative' }, async () => {
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

test('a folder of the workspace is not where the login shell starts', { tags: 'representative' }, async () => {
  writeFileSync(join(home, '.bash_profile'), 'export WHERE="$(pwd)"\n');
  expect(await variables({})).toMatchObject({ WHERE: home });
});

describe('start-up files that commands may write are not run', () => {
  const below = (folder: string) => (path: string) => isWithin(path, folder);
  const asked = async (isWritable: (path: string) => boolean, env: Readonly<Record<string, string>> = {}) => {
    const warnings: string[] = [];
    const found = await variables(env, { isWritable, warn: ({ code }) => void warnings.push(code) });
    return { A: (found as Readonly<Record<string, string>>)['A'], warnings };
  };
  const refused = { A: undefined, warnings: ['login-shell-writable'] };
  const run = () => `: > "${root}/ran-profile"; export A=1\n`;

  test('but others are', async () => {
    writeFileSync(join(home, '.bash_profile'), run());
    expect(await asked(below(join(root, 'workspace')))).toEqual({ A: '1', warnings: [] });
  });

  test('and a command that may write everything is not blamed on the folder of the work', async () => {
    const warnings: string[] = [];
    const warn = ({ message, next }: Outcome) => void warnings.push(`${message} ${next}`);
    await variables({}, { isWritable: () => true, warn });
    expect(warnings).toEqual([expect.stringContaining('this command can write its start-up files')]);
    expect(warnings[0]).not.toContain('in another folder');
  });

  test('in a home folder that they may write, by its name or by where it leads', async () => {
    writeFileSync(join(home, '.bash_profile'), run());
    expect(await asked(below(home))).toEqual(refused);
    const place = join(root, 'elsewhere');
    mkdirSync(place);
    writeFileSync(join(place, '.bash_profile'), run());
    rmSync(home, { recursive: true });
    symlinkSync(place, home);
    expect(await asked(below(place))).toEqual(refused);
    expect(ran()).toEqual([]);
  });

  test('through links, those included that lead to nothing yet', async () => {
    const dotfiles = join(root, 'workspace/dotfiles');
    mkdirSync(dotfiles, { recursive: true });
    symlinkSync('profile', join(dotfiles, 'between'));
    symlinkSync(join(dotfiles, 'between'), join(home, '.bash_profile'));
    expect(await asked(below(join(root, 'workspace')))).toEqual(refused);
    writeFileSync(join(dotfiles, 'profile'), run());
    expect(await asked(below(join(root, 'workspace')))).toEqual(refused);
    expect(ran()).toEqual([]);
  });

  test('in ZDOTDIR, and when the shell itself may be written', async () => {
    writeFileSync(join(home, '.bash_profile'), run());
    const ZDOTDIR = join(root, 'workspace/zsh');
    expect(await asked(below(join(root, 'workspace')), { ZDOTDIR })).toEqual(refused);
    expect(await asked((path) => path === '/bin/bash')).toEqual(refused);
    expect(ran()).toEqual([]);
  });

  const profile = (live: LiveThread) => `: > "${live.place.root}/escaped"`;
  const attacks: Readonly<Record<string, (live: LiveThread) => ItemDraft>> = {
    'a patch': (live) =>
      callTool('exec_command', {
        cmd: `apply_patch <<'E'\n*** Begin Patch\n*** Add File: .profile\n+${profile(live)}\n*** End Patch\nE`,
      }),
    'a command': (live) => callTool('exec_command', { cmd: `echo '${profile(live)}' > .profile` }),
  };
  test.each(Object.keys(attacks))('when the workspace is the home folder and %s made one', async (name) => {
    const command = answer({ items: [callTool('exec_command', { cmd: 'true' })] });
    const end = answer({ items: [say('Done.')] });
    const plant = () => answer({ items: [attacks[name]!(live)] });
    const live: LiveThread = await LiveThread.in([plant, command, end, command, end]);
    const { home: capstan, workspace, root: base } = live.place;
    const options = {
      osHome: workspace,
      env: { CAPSTAN_HOME: capstan, HOME: workspace, SHELL: '/bin/bash', PATH: process.env['PATH'] },
    };
    for (const text of ['One.', 'Two.']) {
      await live.open(options);
      await live.turn(text);
    }
    expect(readdirSync(workspace)).toContain('.profile');
    expect(readdirSync(base)).not.toContain('escaped');
    const warned = live.told('warning').filter(({ outcome }) => outcome.code === 'login-shell-writable');
    expect(warned.length).toBeGreaterThan(0);
  });
});
