// @module-tag attack
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AskUser } from '../../src/ports/ask-user.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';

/** Outside of the temporary folders and the workspace: only what leaves the sandbox can write there. */
let base = '';
let ran = '';
beforeEach(() => {
  base = realpathSync(mkdtempSync('/var/tmp/capstan-allowed-'));
  ran = join(base, 'ran');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const rule = 'prefix_rule(pattern=["git", "status"])\nprefix_rule(pattern=["touch"])\n';

/** Writes a program, as a command may have put it into the workspace. */
function plant(path: string): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho planted >> ${ran}\nexit 0\n`);
  chmodSync(path, 0o755);
}

/** A repository whose settings name a program. */
function plantRepository(workspace: string): void {
  plant(join(workspace, 'monitor'));
  const git = join(workspace, 'n/.git');
  for (const folder of ['objects', 'refs/heads']) mkdirSync(join(git, folder), { recursive: true });
  writeFileSync(join(git, 'HEAD'), 'ref: refs/heads/main\n');
  const settings = `repositoryformatversion = 0\n\tfsmonitor = ${join(workspace, 'monitor')}`;
  writeFileSync(join(git, 'config'), `[core]\n\t${settings}\n`);
}

const never = ['sandbox_mode="workspace-write"', 'approval_policy="never"'];

/** The reasons in the last question. */
const reasons: string[] = [];

/** One turn with one command, by default under `never`. `path`: a folder of the workspace before the search path. */
async function runCommand(
  call: { readonly cmd: string; readonly workdir?: string; readonly sandbox_permissions?: string },
  prepare: (workspace: string) => void,
  {
    path = '',
    settings = never,
    rules = rule,
  }: { readonly path?: string; readonly settings?: readonly string[]; readonly rules?: string } = {},
): Promise<readonly string[]> {
  const script = [callTool('exec_command', call), say('Done.')].map((item) => answer({ items: [item] }));
  const live = await LiveThread.in(script);
  const { home, workspace } = live.place;
  mkdirSync(join(home, 'rules'), { recursive: true });
  writeFileSync(join(home, 'rules/x.rules'), rules);
  prepare(workspace);
  const search = `${path === '' ? '' : `${join(workspace, path)}:`}/usr/local/bin:/usr/bin:/bin`;
  const asked: string[] = [];
  const askUser: AskUser = {
    ask: (question) => {
      asked.push(question.argv?.at(-1) ?? '');
      reasons.push(question.reason ?? '');
      return Promise.resolve({ kind: 'declined' });
    },
  };
  await live.open(
    {
      env: { CAPSTAN_HOME: home, PATH: search },
      config: [...settings, 'allow_login_shell=false'],
    },
    { askUser },
  );
  await live.turn('Go.');
  return asked;
}

describe.runIf(process.platform === 'linux')('a rule that allows a name', () => {
  test('lets the program of that name out of the sandbox', async () => {
    await runCommand({ cmd: `touch ${ran}` }, () => {});
    expect(existsSync(ran)).toBe(true);
  });

  test.each(['/proc/self/cwd/e/git status', './e/git status'])('does not let %j out', async (cmd) => {
    await runCommand({ cmd }, (workspace) => plant(join(workspace, 'e/git')));
    expect(existsSync(ran)).toBe(false);
  });

  test('does not let a path out that is another one when its links are followed', async () => {
    // By its spelling it is /usr/bin/git; the link makes it a file of the workspace.
    await runCommand({ cmd: `link/${'../'.repeat(8)}usr/bin/git status` }, (workspace) => {
      const deep = join(workspace, ...Array<string>(9).fill('a'));
      mkdirSync(deep, { recursive: true });
      symlinkSync(deep, join(workspace, 'link'));
      plant(join(workspace, 'a/usr/bin/git'));
    });
    expect(existsSync(ran)).toBe(false);
  });

  test('is not offered while commands may write a folder of the search path, and the question says so', async () => {
    const call = { cmd: 'npm install', sandbox_permissions: 'require_escalated' };
    const settings = ['sandbox_mode="workspace-write"', 'approval_policy="on-request"'];
    await runCommand(call, (workspace) => mkdirSync(join(workspace, '.venv/bin'), { recursive: true }), {
      path: '.venv/bin',
      settings,
    });
    expect(reasons.at(-1)).toMatch(
      /No rule can be saved: commands can write ".*\/\.venv\/bin", a folder of the PATH\.$/,
    );
    await runCommand(call, () => {}, { settings });
    expect(reasons.at(-1)).toBe('It would run outside the sandbox.');
  });

  test('does not let a program out of a folder of the search path that commands may write', async () => {
    await runCommand({ cmd: 'git status' }, (workspace) => plant(join(workspace, '.venv/bin/git')), {
      path: '.venv/bin',
    });
    expect(existsSync(ran)).toBe(false);
  });

  test('does not let git out into a repository that a command made', { tags: 'representative' }, async () => {
    await runCommand({ cmd: 'git status', workdir: 'n' }, (workspace) => plantRepository(workspace));
    expect(existsSync(ran)).toBe(false);
  });
});

test('git that reads in a repository of the workspace is asked about under untrusted', async () => {
  const call = { cmd: 'git status --short', workdir: 'n' };
  const settings = ['sandbox_mode="danger-full-access"', 'approval_policy="untrusted"'];
  const asked = await runCommand(call, (workspace) => plantRepository(workspace), { settings, rules: '' });
  expect(asked).toEqual([call.cmd]);
  expect(existsSync(ran)).toBe(false);
});
