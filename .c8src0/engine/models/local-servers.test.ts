import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { localOverrides } from './local-servers.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'capstan-local-'));
  mkdirSync(join(folder, 'etc'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function overrides(env: Readonly<Record<string, string>> = {}) {
  return localOverrides(
    {
      env: { CAPSTAN_HOME: folder, ...env },
      osHome: folder,
      cwd: folder,
      client: { name: 'test', version: '0', source: 'exec' },
      config: [],
      systemFolders: [join(folder, 'etc')],
    },
    'ollama',
  );
}

it('a provider that the administrator chose stands', async () => {
  writeFileSync(join(folder, 'etc/managed_config.toml'), 'model_provider = "openai"\n');
  expect(await overrides()).toEqual({
    code: 'provider-managed',
    message: 'An administrator set model_provider to "openai" on this machine, and --oss cannot change it.',
    next: 'Start without --oss, or ask the administrator.',
  });
});

it('an address that is none is reported before a server is asked', async () => {
  expect(await overrides({ CODEX_OSS_PORT: 'x' })).toMatchObject({
    code: 'provider-incomplete',
    message: 'CODEX_OSS_PORT is not a port number: "x"',
  });
});
