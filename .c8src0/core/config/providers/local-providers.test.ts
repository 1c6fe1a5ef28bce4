import { expect, test } from 'vitest';
import { resolveConfig } from '../config.ts';
import { localProviders, type ProviderConfig, resolveProvider, withLocalAddress } from './provider-config.ts';

function provider(id: string): ProviderConfig {
  return resolveProvider(resolveConfig([]).config, id) as ProviderConfig;
}

test('every local provider is built in and wants no key', () => {
  expect(localProviders.map(({ id }) => provider(id))).toMatchObject([
    { id: 'ollama', name: 'Ollama', baseUrl: 'http://localhost:11434/v1', envKeys: [] },
    { id: 'lmstudio', name: 'LM Studio', baseUrl: 'http://localhost:1234/v1', envKeys: [] },
  ]);
});

test.each([
  [{}, 'http://localhost:11434/v1'],
  [{ CODEX_OSS_PORT: '4000' }, 'http://localhost:4000/v1'],
  [{ CODEX_OSS_BASE_URL: 'http://box:4000/api/' }, 'http://box:4000/api'],
  [{ CODEX_OSS_BASE_URL: 'http://box:4000/v1', CODEX_OSS_PORT: '5000' }, 'http://box:4000/v1'],
  [{ CODEX_OSS_BASE_URL: ' ', CODEX_OSS_PORT: '5000' }, 'http://localhost:5000/v1'],
  [{ CODEX_OSS_PORT: '' }, 'http://localhost:11434/v1'],
])('%o', (env, baseUrl) => {
  expect(withLocalAddress(provider('ollama'), env)).toEqual({ ...provider('ollama'), baseUrl });
  expect(withLocalAddress(provider('openai'), env)).toEqual(provider('openai'));
});

test.each([
  [{ CODEX_OSS_PORT: 'x' }, 'CODEX_OSS_PORT is not a port number: "x"'],
  [{ CODEX_OSS_PORT: '0' }, 'CODEX_OSS_PORT is not a port number: "0"'],
  [{ CODEX_OSS_PORT: '65536' }, 'CODEX_OSS_PORT is not a port number: "65536"'],
  [{ CODEX_OSS_BASE_URL: 'box:4000' }, 'CODEX_OSS_BASE_URL is not a web address: "box:4000"'],
])('%o is refused', (env, message) => {
  expect(withLocalAddress(provider('lmstudio'), env)).toMatchObject({ code: 'provider-incomplete', message });
});
