// @module-tag attack
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { builtinEffect, isCoverableByRule } from '../../src/core/policy/commands/shell-builtins.ts';
import type { AskUser } from '../../src/ports/ask-user.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

/** Outside of the temporary folders and the workspace: only what leaves the sandbox can write there. */
let ran = '';
beforeEach(() => {
  const base = realpathSync(mkdtempSync('/var/tmp/capstan-builtins-'));
  whenTestEnds(() => rmSync(base, { recursive: true, force: true }));
  ran = join(base, 'ran');
});

const shell = '/bin/bash';
const hasBash = existsSync(shell);
const listed = (kind: 'b' | 'k'): readonly string[] =>
  hasBash
    ? spawnSync(shell, ['--norc', '-c', `compgen -${kind}`], { encoding: 'utf8' })
        .stdout.split('\n')
        .filter(Boolean)
    : [];
const builtins = listed('b');

/** Words with which some builtin of some shell runs `touch`. Each is tried with every builtin. */
const everyForm = (touch: string): readonly string[] => [
  `'a[$(${touch})]'`,
  `-v 'a[$(${touch})]' 1`,
  `'a[$(${touch})]=1'`,
  `1 -eq 'a[$(${touch})]'`,
  `%d 'a[$(${touch})]'`,
  `x 'a[$(${touch})]'`,
];

/** Forms that only some builtins know. */
const specialForms = (touch: string): readonly string[] => [
  `[ -v 'a[$(${touch})]' ]`,
  `test $'-\\U00076' 'a[$(${touch})]'`,
  `[ 'a[$(${touch})]' -eq 1 ]`,
  `command printf -v 'a[$(${touch})]' 1`,
  `builtin printf -v 'a[$(${touch})]' 1`,
  `command -p test -v 'a[$(${touch})]'`,
  `time printf -v 'a[$(${touch})]' 1`,
  `printf -va[\\$\\(${touch.replace(' ', '\\ ')}\\)] 1`,
  `printf '%s' 1 && printf -v 'a[$(${touch})]' 1`,
  `let 'x=a[$(${touch})]'`,
  `declare -i 'x=a[$(${touch})]'`,
  `read -r 'a[$(${touch})]' < /etc/hostname`,
  `mapfile -C '${touch};' -c 1 x < /etc/hostname`,
  `readarray -C '${touch};' -c 1 x < /etc/hostname`,
  `compgen -C '${touch}' x`,
  `compgen -W '$(${touch})'`,
  `jobs -x ${touch}`,
  `trap '${touch}' EXIT`,
  `eval '${touch}'`,
  `. ./planted`,
  `source ./planted`,
  `exec ${touch}`,
  `hash -p ./planted true && true`,
  `hash -p ./planted true && command true`,
  `alias true='${touch}' && true`,
  `set -- x && test -v 'a[$(${touch})]'`,
  `export BASH_ENV=./planted && bash -c true`,
  `export PATH=.:/usr/bin && planted`,
  `enable -n printf && printf x`,
  `fc -e '${touch}'`,
  `true & wait -p 'a[$(${touch})]' -n`,
  `getopts a 'a[$(${touch})]'`,
  `unset 'a[$(${touch})]'`,
  `echo {a[$(${touch})]}>/dev/null`,
  `[[ -v 'a[$(${touch})]' ]]`,
  `(( a[$(${touch})] ))`,
  `coproc ${touch}`,
  `a[$(${touch})]=1 true`,
  `COLUMNS='a[$(${touch})]' true`,
  `x='$(${touch})' && echo "\${x@P}"`,
];

const rules = [...new Set([...builtins, ...listed('k'), 'planted', 'mkdir'])]
  .map((name) => `prefix_rule(pattern=[${JSON.stringify(name)}])\n`)
  .join('');

async function open(settings: readonly string[], askUser?: AskUser): Promise<LiveThread> {
  const live = await LiveThread.in([]);
  const { home, workspace } = live.place;
  mkdirSync(join(home, 'rules'), { recursive: true });
  writeFileSync(join(home, 'rules/x.rules'), rules);
  writeFileSync(join(workspace, 'planted'), `#!/bin/sh\ntouch ${ran}\n`);
  chmodSync(join(workspace, 'planted'), 0o755);
  await live.open(
    {
      env: { CAPSTAN_HOME: home, PATH: '/usr/local/bin:/usr/bin:/bin', SHELL: shell },
      config: [...settings, 'allow_login_shell=false'],
    },
    askUser && { askUser },
  );
  return live;
}

async function runAll(live: LiveThread, calls: readonly object[]): Promise<void> {
  live.model.push(answer({ items: calls.map((call) => callTool('exec_command', call as never)) }));
  live.model.push(answer({ items: [say('Done.')] }));
  await live.turn('Go.');
}

const never = ['sandbox_mode="workspace-write"', 'approval_policy="never"'];

describe.runIf(process.platform === 'linux' && hasBash)('builtins that evaluate their words', () => {
  test('every builtin of the bash of this machine is judged', { tags: 'representative' }, () => {
    expect(builtins.length).toBeGreaterThan(50);
    expect(builtins.filter((name) => builtinEffect([name]) === undefined)).toEqual([]);
  });

  const parts = [0, 1, 2, 3, 4, 5].map((part) => builtins.filter((_, at) => at % 6 === part));
  const installed = ['bash', 'dash', 'zsh', 'ksh'].filter((name) => spawnSync(name, ['-c', ':']).status === 0);

  test.each(parts)('a form that runs something in a real shell is covered by no rule: %s, …', (...names) => {
    const touch = `touch ${ran}`;
    const wrongly = installed.flatMap((name) =>
      names.flatMap((builtin) =>
        everyForm(touch)
          .filter((form) => {
            rmSync(ran, { force: true });
            spawnSync(name, ['-c', `${builtin} ${form}`], { input: 'a\n' });
            return existsSync(ran);
          })
          .map((form) => [builtin, ...form.replaceAll("'", '').split(/ (?![^[]*\])/)])
          .filter(isCoverableByRule),
      ),
    );
    expect(wrongly).toEqual([]);
  });

  async function expectNothing(commands: readonly string[]): Promise<void> {
    const live = await open(never);
    await runAll(live, [{ cmd: `echo x && mkdir ${ran}` }]);
    expect(existsSync(ran), 'plain builtins leave').toBe(true);
    rmSync(ran, { recursive: true });
    await runAll(
      live,
      commands.map((cmd) => ({ cmd, yield_time_ms: 5000 })),
    );
    expect(existsSync(ran)).toBe(false);
  }

  test.each(parts)('run nothing outside under a rule for each: %s, …', async (...names) => {
    // These end the shell, or stop it.
    const tried = names.filter((name) => !/^(?:suspend|fg|exit|logout|exec)$/.test(name));
    await expectNothing(tried.flatMap((name) => everyForm(`touch ${ran}`).map((form) => `${name} ${form}`)));
  });

  test('nor in other forms that some of them know', async () => {
    await expectNothing(specialForms(`touch ${ran}`));
  });

  test('nor does an answer for the session cover them: each is asked about again', async () => {
    const asked: unknown[] = [];
    const askUser: AskUser = {
      ask: ({ argv, scopes }) => {
        asked.push([argv?.at(-1), scopes]);
        return Promise.resolve({ kind: 'allowed', scope: 'call' });
      },
    };
    const commands = [
      `printf -v 'a[$(touch ${ran})]' 1`,
      `declare -i 'x=a[$(touch ${ran})]'`,
      `typeset -i 'x=a[$(touch ${ran})]'`,
      `declare -a 'x=($(touch ${ran}))'`,
      `readonly -a 'x=($(touch ${ran}))'`,
      `export -a 'x=($(touch ${ran}))'`,
      `unset 'a[$(touch ${ran})]'`,
      `[ -v 'a[$(touch ${ran})]' ]`,
      `[[ -v 'a[$(touch ${ran})]' ]]`,
    ];
    for (const sandbox of ['workspace-write', 'danger-full-access']) {
      const live = await open([`sandbox_mode="${sandbox}"`, 'approval_policy="untrusted"'], askUser);
      const calls = commands.map((cmd) => ({ cmd, sandbox_permissions: 'require_escalated', justification: 'why' }));
      await runAll(live, calls);
      await runAll(live, calls);
      expect([sandbox, asked]).toEqual([sandbox, [...commands, ...commands].map((cmd) => [cmd, ['call']])]);
      asked.splice(0);
    }
  });

  test('and rules that forbid hold for those with a syntax of their own', { tags: 'representative' }, async () => {
    const live = await LiveThread.in([]);
    const { home } = live.place;
    mkdirSync(join(home, 'rules'), { recursive: true });
    const names = ['declare', 'export', 'unset', '[', '[['];
    writeFileSync(
      join(home, 'rules/x.rules'),
      names.map((name) => `prefix_rule(pattern=["${name}"], decision="forbidden")\n`).join(''),
    );
    await live.open({
      env: { CAPSTAN_HOME: home, PATH: '/usr/local/bin:/usr/bin:/bin', SHELL: shell },
      config: ['sandbox_mode="danger-full-access"', 'approval_policy="never"', 'allow_login_shell=false'],
    });
    const forms = ['declare x', 'export x=1', 'unset x', '[ -d / ]', '[[ -d / ]]'];
    await runAll(
      live,
      forms.map((form) => ({ cmd: `${form}; touch ${ran}` })),
    );
    expect(existsSync(ran)).toBe(false);
  });
});
