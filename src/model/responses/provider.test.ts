import { expect, test } from 'vitest';
import { providerDefaults } from '../../config/providers.ts';
import { authModeOf, keyAdvice, providerCredentials } from './provider.ts';
import type { Login } from '../../ports/login.ts';
import type { Credentials, Environment, ProviderOptions } from './provider.ts';

const provider = { ...providerDefaults, id: 'p', name: 'Some Place', baseUrl: 'http://x' };
const noLogin = (): Login => ({ kind: 'none' });
const ask = (
  more: Partial<ProviderOptions>,
  environment: Environment = {},
  loadLogin: () => Login = noLogin,
): Promise<Credentials> => providerCredentials({ ...provider, ...more }, { environment, loadLogin, now: () => 1000 })();

test('a named variable goes before a token in the configuration', async () => {
  expect(await ask({ envKeys: ['KEY'], bearerToken: 'token' }, { KEY: ' key\n' })).toEqual({
    kind: 'bearer',
    mode: 'api-key',
    token: 'key',
  });
  expect(await ask({ bearerToken: 'token' }, { KEY: 'key' })).toEqual({
    kind: 'bearer',
    mode: 'api-key',
    token: 'token',
  });
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
  const advice = (more: Partial<ProviderOptions>): string => keyAdvice({ ...provider, ...more }, { kind: 'none' });
  expect(advice({ envKeys: ['KEY', 'OTHER'] })).toBe('Check the key in KEY or OTHER and what it may use.');
  expect(advice({ bearerToken: 'x' })).toBe('Check experimental_bearer_token of the provider p and what it may use.');
  expect(advice({ envHttpHeaders: { 'api-key': 'KEY' } })).toBe(
    'Check the key of the provider p, in its headers api-key.',
  );
  expect(advice({})).toBe('No key was sent. Name the variable that holds the key in env_key of the provider p.');
});

const chatgpt: Login = { kind: 'chatgpt', accessToken: 'access', accountId: 'account', renew: 'Sign in.' };
const keys: Partial<ProviderOptions> = { envKeys: ['KEY'], login: { baseUrl: 'https://backend' } };

test('without a key in a variable the login counts, where the provider goes by it', async () => {
  expect(await ask(keys, {}, () => chatgpt)).toEqual({
    kind: 'bearer',
    mode: 'chatgpt',
    token: 'access',
    accountId: 'account',
    baseUrl: 'https://backend',
    renew: 'Sign in.',
  });
  expect(await ask({ ...keys, login: {} }, {}, () => ({ kind: 'api-key', key: 'sk', renew: 'Sign in.' }))).toEqual({
    kind: 'bearer',
    mode: 'api-key',
    token: 'sk',
    renew: 'Sign in.',
  });
  const untouched = (): never => {
    throw new Error('nobody asked for the login');
  };
  expect(await ask(keys, { KEY: 'key' }, untouched)).toEqual({ kind: 'bearer', mode: 'api-key', token: 'key' });
  expect(await ask({ envKeys: ['KEY'] }, {}, untouched)).toMatchObject({ kind: 'missing' });
  expect(await ask({}, {}, untouched)).toEqual({ kind: 'none' });
  expect(await ask(keys)).toMatchObject({ kind: 'missing', message: expect.stringContaining('KEY') as string });
});

test('a login that has expired, or cannot be read, says how to sign in', async () => {
  expect(await ask(keys, {}, () => ({ ...chatgpt, expiresAt: 1000 }))).toEqual({
    kind: 'missing',
    message: 'The login with ChatGPT has expired.',
    next: 'Sign in.',
  });
  expect(await ask(keys, {}, () => ({ ...chatgpt, expiresAt: 1001 }))).toMatchObject({ kind: 'bearer' });
  expect(await ask(keys, {}, () => ({ kind: 'unusable', message: 'Broken.', next: 'Sign in.' }))).toEqual({
    kind: 'missing',
    message: 'Broken.',
    next: 'Sign in.',
  });
  expect(keyAdvice({ ...provider, ...keys }, await ask(keys, {}, () => chatgpt))).toBe('Sign in.');
});

test('the mode is that of the credentials', async () => {
  const modes = [await ask(keys, {}, () => chatgpt), await ask(keys, { KEY: 'key' }), await ask({}), await ask(keys)];
  expect(modes.map(authModeOf)).toEqual(['chatgpt', 'api-key', 'none', 'none']);
});
