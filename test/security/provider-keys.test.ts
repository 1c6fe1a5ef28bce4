// @module-tag attack
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadBaseLayers } from '../../src/adapters/gather/config/config-layers.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';

// Names that no filter takes for secrets: only the configuration says what they are.
const providers = `
[model_providers.elsewhere]
name = "elsewhere"
base_url = "http://127.0.0.1:9/v1"
env_key = "ELSEWHERE_PASS"
[model_providers.elsewhere.env_http_headers]
x-account = "ELSEWHERE_ACCOUNT"
[mcp_servers.off]
url = "http://127.0.0.1:9/mcp"
enabled = false
bearer_token_env_var = "SERVER_PASS"
env_http_headers = { x-account = "SERVER_ACCOUNT" }
oauth = { client_id = "me", client_secret_env_var = "SERVER_CLIENT" }
`;

const env = {
  PATH: process.env['PATH'],
  ELSEWHERE_PASS: 'sekrit-1',
  ELSEWHERE_ACCOUNT: 'sekrit-2',
  OPENAI_API_KEY: 'sekrit-3',
  OPENAI_ORGANIZATION: 'sekrit-4',
  CODEX_API_KEY: 'sekrit-5',
  ANTHROPIC_API_KEY: 'sekrit-6',
  SERVER_PASS: 'sekrit-7',
  SERVER_ACCOUNT: 'sekrit-8',
  SERVER_CLIENT: 'sekrit-9',
  HARMLESS: 'fine',
};

async function printed(policy: string): Promise<string> {
  const live = await LiveThread.in([
    answer({ items: [callTool('exec_command', { cmd: 'env' })] }),
    answer({ items: [say('ok')] }),
  ]);
  const { home } = live.place;
  appendFileSync(`${home}/config.toml`, `${providers}${policy}`);
  await live.open({ env: { ...env, CAPSTAN_HOME: home }, config: ['sandbox_mode="danger-full-access"'] });
  await live.turn('go');
  return live.rows(1).at(-1)!.join('\n');
}

describe('keys of providers and MCP servers', () => {
  test.each([
    ['by default', ''],
    ['when default filters are off', '[shell_environment_policy]\nignore_default_excludes = true\n'],
    [
      'when they are asked for by name',
      '[shell_environment_policy]\nignore_default_excludes = true\ninclude_only = ["PATH", "HARMLESS", "ELSEWHERE_*", "OPENAI_*", "SERVER_*"]\n',
    ],
    ['when a filter includes them', '[shell_environment_policy.filters]\n"*" = "include"\n'],
  ])('never reach a command: %s', async (_name, policy) => {
    const output = await printed(policy);
    expect(output).toContain('HARMLESS=fine');
    expect(output).not.toContain('sekrit');
  });

  test('reach it where the user sets them for commands', { tags: 'representative' }, async () => {
    const output = await printed('[shell_environment_policy]\nset = { ELSEWHERE_PASS = "mine" }\n');
    expect(output).toContain('ELSEWHERE_PASS=mine');
    expect(output).not.toContain('sekrit');
  });
});

describe('a profile that was not chosen, or a file that a flag leaves out', () => {
  const filters = '[shell_environment_policy]\nignore_default_excludes = true\n';
  const table = `${providers}[model_providers.bare]\nbase_url = "http://127.0.0.1:9/v1"\nexperimental_bearer_token = "sekrit-7"\n`;

  test.each(['other.config.toml', 'broken.config.toml'])('its keys reach no command: %s', async (name) => {
    const live = await LiveThread.in([
      answer({ items: [callTool('exec_command', { cmd: `env; cat "$CAPSTAN_TEST_HOME"/${name}` })] }),
      answer({ items: [say('ok')] }),
    ]);
    const { home } = live.place;
    writeFileSync(join(home, name), name.startsWith('broken') ? `experimental_bearer_token = sekrit-8\n` : table);
    appendFileSync(`${home}/config.toml`, filters);
    // Nothing names these where the file cannot be read.
    const isOther = ([variable]: readonly [string, unknown]): boolean => !/^(?:ELSEWHERE|SERVER)_/.test(variable);
    const given = name.startsWith('broken') ? Object.fromEntries(Object.entries(env).filter(isOther)) : env;
    await live.open({
      env: { ...given, CAPSTAN_HOME: home, CAPSTAN_TEST_HOME: home },
      config: ['sandbox_mode="read-only"'],
    });
    await live.turn('go');
    const output = JSON.stringify(live.model.requests.at(-1)?.body);
    expect(output).toContain('HARMLESS=fine');
    expect(output).not.toContain('sekrit');
  });

  test('config.toml itself', async () => {
    const live = await LiveThread.in([answer({ items: [say('ok')] })]);
    const { home } = live.place;
    appendFileSync(`${home}/config.toml`, table);
    const base = await loadBaseLayers(home, { osHome: home, cwd: home, ignoreUserConfig: true, systemFolders: [] });
    expect([base.unusedSecrets, base.options.otherVariables]).toEqual([
      [join(home, 'config.toml')],
      ['ELSEWHERE_PASS', 'ELSEWHERE_ACCOUNT', 'SERVER_PASS', 'SERVER_CLIENT', 'SERVER_ACCOUNT'],
    ]);
  });
});
