// @module-tag attack
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Place } from '../harness/run-capstan.ts';
import { scene } from '../harness/scene.ts';

function everythingIn({ home }: Place): string {
  return readdirSync(home, { recursive: true, encoding: 'utf8' })
    .map((name) => join(home, name))
    .filter((path) => statSync(path).isFile() && !path.endsWith('config.toml'))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
}

const provider =
  '[model_providers.r]\nbase_url = "http://127.0.0.1:9/v1"\nrequest_max_retries = 0\nstream_max_retries = 0\n';

test.each([
  ['model_providers.r.env_key', (key: string) => `${provider}env_key = "${key}"\n`],
  ['model_providers.r.env_http_headers', (key: string) => `${provider}env_http_headers = { "api-key" = "${key}" }\n`],
  [
    'mcp_servers.s.bearer_token_env_var',
    (key: string) => `[mcp_servers.s]\nurl = "http://127.0.0.1:9/"\nbearer_token_env_var = "${key}"\n`,
  ],
])('a key that stands in %s in place of a name is refused, and shown and kept nowhere', async (at, table) => {
  for (const key of ['sk-abcdef1234567890abcdef', 'gsk_4f9k2l8x1m7p3q5r6s0t']) {
    const { place } = await scene([]);
    writeFileSync(
      join(place.home, 'config.toml'),
      `model_provider = "${at.includes('.r.') ? 'r' : 'openai'}"\nmodel = "m"\n${table(key)}`,
    );
    const ran = await place.run('exec', 'hi');
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining(`${at} must be`)]);
    expect(ran.stderr).toContain('Put the key in an environment variable, and write the name of that variable here.');
    const shown = await place.run('config', 'show', '--origin');
    expect(ran.stdout + ran.stderr + shown.stdout + shown.stderr + everythingIn(place)).not.toContain(key);
  }
});

test('a key under another name of its own is led to env_key', { tags: 'representative' }, async () => {
  const { place } = await scene([]);
  writeFileSync(
    join(place.home, 'config.toml'),
    `model_provider = "r"\nmodel = "m"\n${provider}api_key = "sk-1234567890ab"\n`,
  );
  const { stdout, stderr } = await place.run('exec', 'hi');
  expect(stderr).toContain(
    'Put the key in an environment variable, and name the variable in model_providers.r.env_key.',
  );
  expect(stdout + stderr).not.toContain('sk-1234');
});
