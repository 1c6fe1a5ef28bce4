import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withLoginShell } from '../../src/policy/login-shell-variables.ts';
import {
  childEnvironment,
  defaultShellEnvironmentPolicy,
  inheritedBy,
} from '../../src/policy/shell-environment-policy.ts';
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
  await live.open({ env, overrides: ['sandbox_mode="danger-full-access"'] });
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
  // What is kept of its answer on the disk goes through the same filter.
  expect(inheritedBy(policy)('CAPSTAN_MCP_TOKEN')).toBe(false);
});

test.each(['model_instructions_file', 'experimental_compact_prompt_file', 'model_catalog_json'])(
  'a trusted project cannot have a secret of the engine read: %s',
  async (key) => {
    const live = await LiveThread.in([answer({ items: [say('ok')] })]);
    const { home, workspace } = live.place;
    execFileSync('git', ['init', '-q', workspace]);
    mkdirSync(join(workspace, '.capstan'));
    writeFileSync(join(home, 'auth.json'), `${token}\n`, { mode: 0o600 });
    symlinkSync(join(home, 'auth.json'), join(workspace, 'link'));
    writeFileSync(join(workspace, '.capstan/config.toml'), `${key} = "${join(workspace, 'link')}"\n`);
    appendFileSync(`${home}/config.toml`, `\n[projects."${workspace}"]\ntrust_level = "trusted"\n`);
    const refused = await live.open({}).then(
      () => undefined,
      (error: unknown) => String(error),
    );
    expect(refused).toContain(`The file in ${key} cannot be read`);
    expect(refused).not.toContain(token);
  },
);
