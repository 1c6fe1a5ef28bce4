import { expect, test } from 'vitest';
import { providerDefaults } from '../../core/config/providers/provider-config.ts';
import type { HttpClientOptions } from './http/send-question.ts';
import { loadEncoders, providerFor } from './provider-for.ts';
import { responsesFormat } from './responses/client.ts';

const options = (wireApi: string): HttpClientOptions => ({
  provider: { ...providerDefaults, id: 'mine', name: 'Mine', baseUrl: 'http://localhost:1/v1', wireApi },
  credentials: () => Promise.resolve({ kind: 'none' }),
  environment: {},
  clock: { now: () => 0, sleep: () => Promise.resolve() },
  random: () => 0.5,
});
const own = { ...responsesFormat, name: 'own' };

test('wire_api chooses the format', async () => {
  expect(await providerFor(options('responses'), { gates: {}, formats: [own] })).toMatchObject({ wire: 'responses' });
  expect(await providerFor(options('chat'), { gates: {}, formats: [own] })).toMatchObject({ wire: 'chat' });
  expect(await providerFor(options('anthropic'), { gates: {}, formats: [] })).toMatchObject({ wire: 'anthropic' });
  expect(await providerFor(options('own'), { gates: {}, formats: [own] })).toMatchObject({ wire: 'own' });
});

test.each(['chats', 'toString', ''])('"%s" is refused with the formats that there are', async (wireApi) => {
  expect(await providerFor(options(wireApi), { gates: {}, formats: [] })).toEqual({
    code: 'provider-wire-api',
    message: `The provider "mine" has wire_api "${wireApi}"; Capstan supports "responses", "chat", "anthropic"`,
    next: 'Set model_providers.mine.wire_api to the format that the server speaks, or choose another provider.',
  });
  expect(await providerFor(options(wireApi), { gates: {}, formats: [own] })).toMatchObject({
    message: `The provider "mine" has wire_api "${wireApi}"; Capstan supports "responses", "chat", "anthropic", "own"`,
  });
});

test('a request of the past is encoded by the version that its record names', async () => {
  const encoders = await loadEncoders();
  const { version } = responsesFormat.encoder(options('responses').provider);
  expect(encoders.get(version)).toMatchObject({ version });
  expect([...encoders.keys()]).toEqual(
    expect.arrayContaining([
      'responses/2',
      'responses/2+functions',
      'chat/1',
      'chat-openai/1',
      'chat-thinking/1',
      'chat/2',
      'chat/3',
      'anthropic/1',
      'anthropic/2',
      'anthropic/3',
      'anthropic/4',
    ]),
  );
  expect([...encoders].every(([version, encoder]) => encoder.version === version)).toBe(true);
});
