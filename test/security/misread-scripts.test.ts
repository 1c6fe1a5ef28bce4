// @module-tag attack
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, inject, test } from 'vitest';
import { analyseCommand } from '../../src/core/policy/commands/analyse-command.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { anyScript } from '../shell/random-scripts.ts';
import { shellReader } from '../shell/reader.ts';

/** Outside of the temporary folders and the workspace: only what leaves the sandbox can write there. */
let base = '';
let ran = '';
beforeEach(() => {
  base = realpathSync(mkdtempSync('/var/tmp/capstan-misread-'));
  whenTestEnds(() => rmSync(base, { recursive: true, force: true }));
  ran = join(base, 'ran');
});

const dash = '/bin/dash';
const allowed = ['echo', 'test', 'true', '/usr/bin/true', 'mkdir'];

/** Runs the calls in a thread in which rules allow `allowed` and nothing else. */
async function runAll(
  commands: readonly string[],
  { shell = '/bin/bash', planted = [] }: { readonly shell?: string; readonly planted?: readonly string[] } = {},
): Promise<void> {
  const calls = commands.map((cmd) => callTool('exec_command', { cmd, yield_time_ms: 5000 } as never));
  const live = await LiveThread.in([answer({ items: calls }), answer({ items: [say('Done.')] })]);
  const { home, workspace } = live.place;
  mkdirSync(join(home, 'rules'), { recursive: true });
  const rules = allowed.map((name) => `prefix_rule(pattern=[${JSON.stringify(name)}])\n`);
  writeFileSync(join(home, 'rules/x.rules'), rules.join(''));
  const bin = join(workspace, 'bin');
  mkdirSync(bin);
  for (const name of planted) {
    writeFileSync(join(bin, name), `#!/bin/sh\ntouch ${ran}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const path = `${planted.length > 0 ? `${bin}:` : ''}/usr/local/bin:/usr/bin:/bin`;
  await live.open({
    env: { CAPSTAN_HOME: home, PATH: path, SHELL: shell },
    config: ['sandbox_mode="workspace-write"', 'approval_policy="never"', 'allow_login_shell=false'],
  });
  await live.turn('Go.');
}

/** The words with which dash really starts `a`, `b`, `ab` and `0`, script by script. */
function runInDash(scripts: readonly string[]): readonly (readonly string[])[] {
  const bin = join(base, 'bin');
  mkdirSync(bin);
  for (const name of ['a', 'b', 'ab', '0']) {
    writeFileSync(
      join(bin, name),
      '#!/bin/sh\nfor w in "${0##*/}" "$@"; do printf "%s\\1" "$w"; done >> "$LOG"\necho >> "$LOG"\n',
    );
    chmodSync(join(bin, name), 0o755);
  }
  return scripts.map((script, index) => {
    const [cwd, log] = [join(base, String(index)), join(base, `log-${index}`)];
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'a'), '');
    writeFileSync(log, '');
    spawnSync(dash, ['-c', `${script}\nwait`], { cwd, env: { PATH: bin, LOG: log }, input: '', timeout: 10_000 });
    return readFileSync(log, 'utf8').split('\n').filter(Boolean);
  });
}

describe.runIf(process.platform === 'linux' && existsSync('/bin/bash'))('scripts that shells read otherwise', () => {
  test.runIf(existsSync(dash))('dash starts nothing that the analysis does not name', () => {
    const analyse = (script: string) => analyseCommand(['sh', '-c', script], shellReader);
    const known = fc
      .sample(anyScript, 400 * inject('runFactor'))
      // A line of the log is a command.
      .filter((script) => !/['"]\n|\n['"]/.test(script) && analyse(script).commands !== undefined);
    expect(known.length).toBeGreaterThan(20);
    const started = runInDash(known);
    const surprises = known.flatMap((script, index) => {
      const { commands = [], seen } = analyse(script);
      const named = [...commands, ...seen].map((words) => words.map((word) => `${word}\u0001`).join(''));
      const extra = (started[index] ?? []).filter((call) => !named.includes(call));
      return extra.length > 0 ? [{ script, extra, named }] : [];
    });
    expect(surprises).toEqual([]);
    expect(started.some((calls) => calls.length > 0)).toBe(true);
  });

  test('operators of bash let nothing out in a script for sh', async () => {
    await runAll([
      `sh -c 'echo a &>/dev/null touch ${ran}'`,
      `sh -c 'echo a &>>/dev/null touch ${ran}'`,
      `sh -c 'eval "echo a &>/dev/null touch ${ran}"'`,
    ]);
    await runAll([`echo a &>/dev/null touch ${ran}`], { shell: '/bin/sh' });
    expect(existsSync(ran)).toBe(false);
  });

  test('nor does a line that goes on before a redirection', { tags: 'representative' }, async () => {
    await runAll([
      `env -u 5\\\n>/dev/null echo touch ${ran}`,
      `exec -a 5\\\n>/dev/null echo touch ${ran}`,
      `echo a &\\\n>/dev/null touch ${ran}`,
    ]);
    await runAll([`env -u 5\\\n>/dev/null echo touch ${ran}`, `echo a &\\\n>/dev/null touch ${ran}`], {
      shell: '/bin/sh',
    });
    expect(existsSync(ran)).toBe(false);
  });

  test('no program of the workspace starts one that a rule allows', async () => {
    const wrappers = ['timeout 5', 'nice', 'env', 'stdbuf -o0', 'setsid', 'nohup', 'ionice', 'env eval', 'env command'];
    const shells = ['bash', 'sh', 'zsh'];
    const planted = [...wrappers.flatMap((wrapper) => wrapper.split(' ')), ...shells];
    await runAll(
      [...wrappers.map((wrapper) => `${wrapper} /usr/bin/true`), ...shells.map((shell) => `${shell} -c /usr/bin/true`)],
      { planted },
    );
    expect(existsSync(ran)).toBe(false);
    await runAll([`timeout 5 mkdir ${ran} && sh -c 'echo a'`]);
    expect(existsSync(ran), 'wrappers of the system do').toBe(true);
  });
});
