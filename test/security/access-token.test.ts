// @module-tag attack
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  childEnvironment,
  defaultShellEnvironmentPolicy,
  inheritanceFilter,
  withLoginShell,
} from '../../src/core/policy/environment/shell-environment-policy.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';

const token = 'sekrit-token-of-the-server';

async function environment(policy: string): Promise<string> {
  const live = await LiveThread.in([
    answer({ items: [callTool('exec_command', { cmd: 'env' })] }),
    answer({ items: [say('ok')] }),
  ]);
  const { home } = live.place;
  appendFileSync(`${home}/config.toml`, policy);
  const own = { CAPSTAN_MCP_TOKEN: token, capstan_mcp_token: token };
  const env = { PATH: process.env['PATH'], HARMLESS: 'fine', CAPSTAN_HOME: home, ...own };
  await live.open({ env, config: ['sandbox_mode="danger-full-access"'] });
  await live.turn('go');
  return live.rows(1).at(-1)!.join('\n');
}

test.each([
  ['by default', ''],
  ['when default filters are off', '[shell_environment_policy]\nignore_default_excludes = true\n'],
  [
    'when it is asked for by name',
    '[shell_environment_policy]\nignore_default_excludes = true\ninclude_only = ["HARMLESS", "CAPSTAN_*"]\n',
  ],
  [
    'when a filter includes it',
    '[shell_environment_policy]\nignore_default_excludes = true\nfilters = { "*" = "include" }\n',
  ],
  ['when it is set for commands', `[shell_environment_policy]\nset = { CAPSTAN_MCP_TOKEN = "${token}" }\n`],
])('the token of the MCP server never reaches a command: %s', async (_name, policy) => {
  const output = await environment(policy);
  expect(output).toContain('HARMLESS=fine');
  expect(output).not.toContain(token);
});

test('the token does not come from the login shell either', () => {
  const ofShell = { CAPSTAN_MCP_TOKEN: token, OF_THE_SHELL: 'fine' };
  const policy = { ...defaultShellEnvironmentPolicy, ignoreDefaultExcludes: true };
  const variables = childEnvironment(withLoginShell({ PATH: '/bin' }, ofShell), policy, {});
  expect(variables).toMatchObject({ OF_THE_SHELL: 'fine' });
  expect(variables).not.toHaveProperty('CAPSTAN_MCP_TOKEN');
  // The part of the shell's answer that is kept on the disk goes through the same filter.
  expect(inheritanceFilter(policy)('CAPSTAN_MCP_TOKEN')).toBe(false);
});

const named = ['model_instructions_file', 'experimental_compact_prompt_file', 'model_catalog_json'];

/** Why no thread starts in a trusted project whose configuration says this. */
async function refusedIn(live: LiveThread, config: string): Promise<string | undefined> {
  const { home, workspace } = live.place;
  execFileSync('git', ['init', '-q', workspace]);
  mkdirSync(join(workspace, '.capstan'));
  writeFileSync(join(workspace, '.capstan/config.toml'), config);
  appendFileSync(`${home}/config.toml`, `\n[projects."${workspace}"]\ntrust_level = "trusted"\n`);
  return live.open({}).then(
    () => undefined,
    (error: unknown) => String(error),
  );
}

test.each(named.flatMap((key) => ['/proc/self/environ', '/proc/self/cmdline'].map((path) => [key, path] as const)))(
  'the variables of the engine are no text for a model: %s = %s',
  async (key, path) => {
    const live = await LiveThread.in([answer({ items: [say('ok')] })]);
    expect(await refusedIn(live, `${key} = "${path}"\n`)).toMatch(
      `The file in ${key} cannot be read (the policy denies`,
    );
    const own = await LiveThread.in([answer({ items: [say('ok')] })]);
    const opened = own.open({ config: [`${key}="${path}"`] });
    await expect(opened).rejects.toThrow(`The file in ${key} cannot be read (the policy denies`);
  },
);

test.each(named)(
  'a project names no file that the model may not read, the user may: %s',
  { tags: 'representative' },
  async (key) => {
    const live = await LiveThread.in([answer({ items: [say('ok')] })]);
    const { home, root } = live.place;
    const path = join(root, 'kept.md');
    writeFileSync(path, key === 'model_catalog_json' ? '{"models": [{"slug": "gpt-5"}]}' : `${token}\n`);
    const before = readFileSync(`${home}/config.toml`, 'utf8');
    const rule = `[permissions.own.filesystem]\n":root" = "read"\n"${path}" = "none"\n`;
    writeFileSync(`${home}/config.toml`, `default_permissions = "own"\n${before}\n${rule}`);
    expect(await refusedIn(live, `${key} = "${path}"\n`)).toMatch(
      `The file in ${key} cannot be read (the policy denies`,
    );
    rmSync(join(live.place.workspace, '.capstan'), { recursive: true });
    await live.open({ config: [`${key}="${path}"`] });
  },
);

test.each(named)('a trusted project cannot have a secret of the engine read: %s', async (key) => {
  const live = await LiveThread.in([answer({ items: [say('ok')] })]);
  const { home, workspace } = live.place;
  writeFileSync(join(home, 'auth.json'), `${token}\n`, { mode: 0o600 });
  symlinkSync(join(home, 'auth.json'), join(workspace, 'link'));
  const refused = await refusedIn(live, `${key} = "${join(workspace, 'link')}"\n`);
  expect(refused).toContain(`The file in ${key} cannot be read`);
  expect(refused).not.toContain(token);
});

test.each(['/proc/self/environ', 'auth.json'])('a role is in no file that holds secrets: %s', async (path) => {
  const live = await LiveThread.in([answer({ items: [say('ok')] })]);
  writeFileSync(join(live.place.home, 'auth.json'), `${token}\n`, { mode: 0o600 });
  const table = `[agents.leak]\ndescription = "x"\nconfig_file = "${path}"\n`;
  appendFileSync(`${live.place.home}/config.toml`, `\n[features]\nmulti_agent = true\n${table}`);
  await live.open({});
  await live.turn('go');
  const warned = live.told('warning').map(({ outcome }) => outcome.message);
  expect(warned).toContainEqual(expect.stringContaining('cannot be read: the policy denies reading it'));
});
