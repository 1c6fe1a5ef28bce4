import { expect, test } from 'vitest';
import { readConfig } from './config.ts';
import { type ProviderConfig, providerOf } from './providers.ts';
import { remoteCompaction } from './remote-compaction.ts';

const provider = { id: 'p', name: 'p', baseUrl: 'http://x/v1' };

test.each<[string, Partial<typeof provider>, string]>([
  ['OpenAI by its name', { name: 'OpenAI' }, 'stream'],
  ['a name that is not exactly so', { name: 'openai' }, 'none'],
  ['Azure by its name', { name: 'AZURE' }, 'stream'],
  ['a name that only begins so', { name: 'Azure West' }, 'none'],
  ['Azure by an address', { baseUrl: 'https://mine.openai.azure.com/openai/v1' }, 'stream'],
  ['another one', { baseUrl: 'https://x.cognitiveservices.azure.us/v1' }, 'stream'],
  ['another one', { baseUrl: 'https://x.aoai.azure.net/v1' }, 'stream'],
  ['another one', { baseUrl: 'https://x.azure-api.net/v1' }, 'stream'],
  ['another one', { baseUrl: 'https://x.azurefd.net/v1' }, 'stream'],
  ['another one', { baseUrl: 'https://x.windows.net/openai/v1' }, 'stream'],
  ['Bedrock', { id: 'amazon-bedrock' }, 'stream'],
  ['Bedrock, the other way', { id: 'amazon-bedrock-runtime' }, 'stream'],
  ['anybody else', {}, 'none'],
])('%s: %j', (_, given, expected) => {
  const unary = expected === 'stream' ? 'unary' : 'none';
  expect([
    remoteCompaction({ ...provider, ...given }, {}),
    remoteCompaction({ ...provider, ...given }, { remote_compaction_v2: true }),
    remoteCompaction({ ...provider, ...given }, { remote_compaction_v2: false }),
  ]).toEqual([expected, expected, unary]);
});

test('of what is built in, only OpenAI has it', () => {
  const { config } = readConfig([]);
  const forms = ['openai', 'ollama', 'lmstudio'].map((id) =>
    remoteCompaction(providerOf(config, id) as ProviderConfig, {}),
  );
  expect(forms).toEqual(['stream', 'none', 'none']);
});
