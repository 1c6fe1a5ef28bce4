import { expect, test } from 'vitest';
import { providerDefaults } from '../../config/providers.ts';
import { keyAdvice, providerCredentials } from './provider.ts';
import type { Environment, ProviderOptions } from './provider.ts';

const provider = { ...providerDefaults, id: 'p', name: 'Some Place', baseUrl: 'http://x' };
const ask = (more: Partial<ProviderOptions>, environment: Environment = {}): Promise<unknown> =>
  providerCredentials({ ...provider, ...more }, environment)();

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

test('the advice about a key that was refused says where the key is', () => {
  const advice = (more: Partial<ProviderOptions>): string => keyAdvice({ ...provider, ...more });
  expect(advice({ envKeys: ['KEY', 'OTHER'] })).toBe('Check the key in KEY or OTHER and what it may use.');
  expect(advice({ bearerToken: 'x' })).toBe('Check experimental_bearer_token of the provider p and what it may use.');
  expect(advice({ envHttpHeaders: { 'api-key': 'KEY' } })).toBe(
    'Check the key of the provider p, in its headers api-key.',
  );
  expect(advice({})).toBe('No key was sent. Name the variable that holds the key in env_key of the provider p.');
});
