import { expect, test } from 'vitest';
import { providerDefaults } from '../../config/providers.ts';
import { providerCredentials } from './provider.ts';
import type { Environment, ProviderOptions } from './provider.ts';

const ask = (more: Partial<ProviderOptions>, environment: Environment = {}): Promise<unknown> =>
  providerCredentials(
    { ...providerDefaults, id: 'p', name: 'Some Place', baseUrl: 'http://x', ...more },
    environment,
  )();

test('a named variable goes before a token in the configuration', async () => {
  expect(await ask({ envKeys: ['KEY'], bearerToken: 'token' }, { KEY: ' key\n' })).toEqual({
    kind: 'bearer',
    token: 'key',
  });
  expect(await ask({ bearerToken: 'token' }, { KEY: 'key' })).toEqual({ kind: 'bearer', token: 'token' });
  expect(await ask({})).toEqual({ kind: 'none' });
});

test('a named variable must be set', async () => {
  const missing = {
    kind: 'missing',
    message: 'The environment variable KEY, which holds the key for Some Place, is not set.',
    next: 'Set KEY and try again.',
  };
  expect(await ask({ envKeys: ['KEY'], bearerToken: 'token' }, { KEY: ' ' })).toEqual(missing);
});
