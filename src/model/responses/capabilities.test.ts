import { expect, test } from 'vitest';
import { readConfig } from '../../config/config.ts';
import { type ProviderConfig, providerOf } from '../../config/providers.ts';
import { responsesCapabilities } from './capabilities.ts';

const provider = { id: 'p', name: 'p', baseUrl: 'http://x/v1' };

function remoteCompaction(...given: Parameters<typeof responsesCapabilities>) {
  return responsesCapabilities(...given).remoteCompaction;
}

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
  ['any other provider', {}, 'none'],
])('%s: %j', (_, given, expected) => {
  const unary = expected === 'stream' ? 'unary' : 'none';
  expect([
    remoteCompaction({ ...provider, ...given }, {}),
    remoteCompaction({ ...provider, ...given }, { remote_compaction_v2: true }),
    remoteCompaction({ ...provider, ...given }, { remote_compaction_v2: false }),
  ]).toEqual([expected, expected, unary]);
});

test('of what is built in, only OpenAI compacts and knows access programs', () => {
  const { config } = readConfig([]);
  const found = ['openai', 'ollama', 'lmstudio'].map((id) =>
    responsesCapabilities(providerOf(config, id) as ProviderConfig, {}),
  );
  const others = { remoteCompaction: 'none', freeformTools: 'grammar', accessPrograms: 'unknown' };
  expect(found).toEqual([{ ...others, remoteCompaction: 'stream', accessPrograms: 'known' }, others, others]);
});
