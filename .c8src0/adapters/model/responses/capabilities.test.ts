import { expect, test } from 'vitest';
import { resolveConfig } from '../../../core/config/config.ts';
import { type ProviderConfig, resolveProvider } from '../../../core/config/providers/provider-config.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { responsesCapabilities } from './client.ts';

function found(given: JsonObject, gates: Readonly<Record<string, boolean>> = {}) {
  const values = { model_providers: { p: { base_url: 'http://x/v1', ...given } } };
  const { config, problems } = resolveConfig([{ name: 'user', source: 'test', values }]);
  expect(problems).toEqual([]);
  return responsesCapabilities(resolveProvider(config, 'p') as ProviderConfig, gates);
}

test.each<[string, JsonObject, string]>([
  ['one that says so', { server_capabilities: { remote_compaction: true } }, 'stream'],
  [
    'one that says that it does not, at a host that does',
    { base_url: 'https://api.openai.com/v1', server_capabilities: { remote_compaction: false } },
    'none',
  ],
  ['OpenAI by its address', { base_url: 'https://api.openai.com/v1' }, 'stream'],
  ['a name alone', { name: 'OpenAI' }, 'none'],
  ['another name alone', { name: 'Azure' }, 'none'],
  ['Azure by an address', { base_url: 'https://mine.openai.azure.com/openai/v1' }, 'stream'],
  ['another one', { base_url: 'https://x.cognitiveservices.azure.us/v1' }, 'stream'],
  ['another one', { base_url: 'https://x.aoai.azure.net/v1' }, 'stream'],
  ['another one', { base_url: 'https://x.azure-api.net/v1' }, 'stream'],
  ['another one', { base_url: 'https://x.azurefd.net/v1' }, 'stream'],
  ['another one', { base_url: 'https://x.windows.net/openai/v1' }, 'stream'],
  ['Bedrock', { base_url: 'https://bedrock-mantle.eu-west-1.api.aws/openai/v1' }, 'stream'],
  ['Bedrock, the other way', { base_url: 'https://bedrock-runtime.eu-west-1.amazonaws.com/openai/v1' }, 'stream'],
  ['any other provider', {}, 'none'],
])('%s: %j', (_, given, expected) => {
  const unary = expected === 'stream' ? 'unary' : 'none';
  expect([
    found(given).remoteCompaction,
    found(given, { remote_compaction_v2: true }).remoteCompaction,
    found(given, { remote_compaction_v2: false }).remoteCompaction,
  ]).toEqual([expected, expected, unary]);
});

test('of what is built in, only OpenAI compacts and knows access programs, and small servers have only functions', () => {
  const { config } = resolveConfig([]);
  const all = ['openai', 'ollama', 'lmstudio'].map((id) =>
    responsesCapabilities(resolveProvider(config, id) as ProviderConfig, {}),
  );
  const local = { remoteCompaction: 'none', freeformTools: 'none', outputLimit: 'with-key', accessPrograms: 'unknown' };
  expect(all).toEqual([
    {
      remoteCompaction: 'stream',
      freeformTools: 'grammar',
      requestCompression: 'zstd',
      outputLimit: 'with-key',
      accessPrograms: 'known',
    },
    local,
    local,
  ]);
});
