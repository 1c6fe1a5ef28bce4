import { expect, test } from 'vitest';
import { providerDefaults } from '../../src/core/config/providers/provider-config.ts';
import type { ChatgptLogin, StoredLogin } from '../../src/ports/login.ts';
import {
  authModeOf,
  type Credentials,
  keyAdvice,
  type ProviderOptions,
} from '../../src/adapters/model/http/credentials-and-headers.ts';
import type { EnvironmentVariables } from '../../src/protocol/shell.ts';
import { providerCredentials } from '../../src/adapters/model/http/auth/provider-credentials.ts';
import { LoginInMemory } from '../harness/login-in-memory.ts';
import type { PostJson, SmallAnswer, SmallRequests } from '../../src/adapters/model/http/small-requests.ts';

const provider = { ...providerDefaults, id: 'p', name: 'Some Place', baseUrl: 'http://x' };
const noLogin = (): StoredLogin => ({ kind: 'none' });
const ask = (
  more: Partial<ProviderOptions>,
  environment: EnvironmentVariables = {},
  load: () => StoredLogin = noLogin,
): Promise<Credentials> => {
  const logins = { ...new LoginInMemory({ kind: 'none' }).store, load: async () => load() };
  const sources = {
    environment,
    logins,
    requests: posting(untouched),
    programs: { find: () => undefined },
    programFolder: () => '/',
    now: () => 1000,
  };
  return providerCredentials({ ...provider, ...more }, sources)({ signal });
};
/** Requests of which only those that post JSON are answered. */
const posting = (postJson: PostJson): SmallRequests => ({ postJson, postForm: untouched, get: untouched });
const sourcesOf = (memory: LoginInMemory, requests: SmallRequests) => ({
  environment: {},
  logins: memory.store,
  requests,
  programs: { find: () => undefined },
  programFolder: () => '/',
  now: () => 0,
});
const untouched = (): never => {
  throw new Error('nobody asked for this');
};
const { signal } = new AbortController();

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
    message: 'There is no key for Some Place: KEY is not set.',
    next: 'Set KEY and try again.',
  };
  expect(await ask({ envKeys: ['KEY'], bearerToken: 'token' }, { KEY: ' ' })).toEqual(missing);
});

test('the advice about a key that was refused says where the key is', () => {
  const advice = (more: Partial<ProviderOptions>): string => keyAdvice({ ...provider, ...more }, { kind: 'none' });
  expect(advice({ envKeys: ['KEY', 'OTHER'] })).toBe('Check the key in KEY or OTHER and its permissions.');
  expect(advice({ bearerToken: 'x' })).toBe('Check experimental_bearer_token of the provider p and its permissions.');
  expect(advice({ envHttpHeaders: { 'api-key': 'KEY' } })).toBe(
    'Check the key in the headers of the provider p: api-key.',
  );
  expect(advice({})).toBe(
    'Capstan sent no key. Set env_key of the provider p to the environment variable that holds the key.',
  );
});

const chatgpt: ChatgptLogin = { kind: 'chatgpt', accessToken: 'access', accountId: 'account', renew: 'Sign in.' };
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
  expect(await ask(keys, { KEY: 'key' }, untouched)).toEqual({ kind: 'bearer', mode: 'api-key', token: 'key' });
  expect(await ask({ envKeys: ['KEY'] }, {}, untouched)).toMatchObject({ kind: 'missing' });
  expect(await ask({}, {}, untouched)).toEqual({ kind: 'none' });
  expect(await ask(keys)).toMatchObject({ kind: 'missing', message: expect.stringContaining('KEY') as string });
});

test('a login that has expired, or cannot be read, says how to sign in', async () => {
  expect(await ask(keys, {}, () => ({ ...chatgpt, expiresAt: 1000 }))).toEqual({
    kind: 'missing',
    message: 'The login with ChatGPT has expired: it cannot be renewed.',
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

const minute = 60_000;
const day = 24 * 60 * minute;

/** Asks for credentials at a time, with a login that can be renewed; gives also what was posted and what is stored. */
async function renewing(
  login: Partial<ChatgptLogin>,
  { at, answer, rejected, asIs = false }: { at: number; answer: SmallAnswer; rejected?: string; asIs?: boolean },
) {
  const memory = new LoginInMemory({ ...chatgpt, refreshToken: 'refresh', ...login });
  const posted: unknown[] = [];
  const credentials = await providerCredentials(
    { ...provider, ...keys },
    {
      environment: { CODEX_REFRESH_TOKEN_URL_OVERRIDE: 'http://tokens' },
      logins: memory.store,
      requests: posting((url, body) => {
        posted.push(url, body);
        return Promise.resolve(answer);
      }),
      programs: { find: () => undefined },
      programFolder: () => '/',
      now: () => at,
    },
  )({ signal, asIs, ...(rejected === undefined ? {} : { rejected }) });
  return { credentials, posted, stored: memory.login };
}

const json = (status: number, body: object): SmallAnswer => ({ kind: 'answer', status, text: JSON.stringify(body) });
const fresh = json(200, { access_token: 'new', refresh_token: 'next', id_token: 'id' });
const newBearer = { kind: 'bearer', mode: 'chatgpt', token: 'new', accountId: 'account', renewable: true };

test('a login is renewed five minutes before it expires, and after eight days if it does not say when', async () => {
  const expiresAt = 100 * day;
  for (const [login, at] of [
    [{ expiresAt }, expiresAt - 5 * minute],
    [{ renewedAt: day }, 9 * day],
  ] as const) {
    const { credentials, posted, stored } = await renewing(login, { at, answer: fresh });
    expect(credentials).toMatchObject(newBearer);
    expect(stored).toMatchObject({ accessToken: 'new', refreshToken: 'next', renewedAt: at });
    expect(posted).toEqual([
      'http://tokens',
      { client_id: expect.stringMatching(/^app_/) as string, grant_type: 'refresh_token', refresh_token: 'refresh' },
    ]);
    const before = await renewing(login, { at: at - 1, answer: fresh });
    expect([before.posted, before.credentials]).toMatchObject([[], { token: 'access' }]);
    const asItIs = await renewing(login, { at, answer: fresh, asIs: true });
    expect([asItIs.posted, asItIs.credentials]).toMatchObject([[], { token: 'access' }]);
  }
});

test('a token that was not accepted is renewed at any time; another one that is stored meanwhile is taken', async () => {
  const rejected = await renewing({}, { at: 0, answer: fresh, rejected: 'access' });
  expect(rejected.credentials).toMatchObject(newBearer);
  const since = await renewing({ accessToken: 'since' }, { at: 0, answer: fresh, rejected: 'access' });
  expect([since.posted, since.credentials]).toMatchObject([[], { token: 'since' }]);
});

test('a login that cannot be renewed serves until it expires', async () => {
  const expiresAt = 100 * day;
  const answers: readonly SmallAnswer[] = [
    json(401, {}),
    json(400, { error: 'invalid_grant' }),
    json(500, {}),
    { kind: 'lost', why: 'the network is down' },
    { kind: 'answer', status: 200, text: 'words' },
    json(200, {}),
  ];
  for (const answer of answers) {
    const { credentials, stored } = await renewing({ expiresAt }, { at: expiresAt - 1, answer });
    expect([credentials, stored]).toMatchObject([{ token: 'access' }, { accessToken: 'access' }]);
  }
});

test('when it has expired, or is not accepted, the user is shown why and what to do', async () => {
  const told = async (answer: SmallAnswer): Promise<unknown> => {
    const { credentials } = await renewing({ expiresAt: 1 }, { at: 2, answer });
    return credentials.kind === 'missing' && [credentials.message, credentials.passing ?? false];
  };
  const expired = 'The login with ChatGPT has expired';
  const ends = [
    ['refresh_token_expired', 'it was not used for too long'],
    ['refresh_token_reused', 'another program renewed it and did not save the result here'],
    ['refresh_token_invalidated', 'it was signed out'],
    ['other', 'it is no longer accepted'],
  ] as const;
  for (const [code, why] of ends) {
    expect(await told(json(401, { error: { code } }))).toEqual([`${expired}: ${why}.`, false]);
  }
  expect(await told(json(400, { error: 'invalid_grant' }))).toEqual([`${expired}: it is no longer accepted.`, false]);
  const failed = `${expired} and could not be renewed`;
  expect(await told(json(503, {}))).toEqual([`${failed}: the answer was HTTP 503.`, true]);
  expect(await told(json(200, {}))).toEqual([`${failed}: the answer contained no tokens.`, true]);
  expect(await told({ kind: 'lost', why: 'nobody is there' })).toEqual([`${failed}: nobody is there.`, true]);
  const { credentials } = await renewing({}, { at: 0, answer: json(401, {}), rejected: 'access' });
  expect(credentials).toEqual({
    kind: 'missing',
    message: 'The login with ChatGPT was refused: it is no longer accepted.',
    next: 'Sign in.',
  });
});

test('a refresh token that comes alone is kept', async () => {
  const { stored } = await renewing({ expiresAt: 1 }, { at: 2, answer: json(200, { refresh_token: 'next' }) });
  expect(stored).toMatchObject({ accessToken: 'access', refreshToken: 'next' });
});

test('what another program stored while we were refused is taken', async () => {
  const memory = new LoginInMemory({ ...chatgpt, refreshToken: 'refresh' });
  const post = (): Promise<SmallAnswer> => {
    memory.login = { ...chatgpt, accessToken: 'theirs' };
    return Promise.resolve(json(401, { error: { code: 'refresh_token_reused' } }));
  };
  const sources = sourcesOf(memory, posting(post));
  const credentials = await providerCredentials({ ...provider, ...keys }, sources)({ signal, rejected: 'access' });
  expect(credentials).toMatchObject({ kind: 'bearer', token: 'theirs' });
});

test('who signs in or out while tokens are on their way is not undone', async () => {
  const outcomes = [];
  for (const meanwhile of [
    { ...chatgpt, accessToken: 'theirs', refreshToken: 'their refresh', accountId: 'their account' },
    { kind: 'none' },
    { kind: 'unusable', message: 'Broken.', next: 'Sign in.' },
  ] as const) {
    const memory = new LoginInMemory({ ...chatgpt, refreshToken: 'refresh' });
    const post = (): Promise<SmallAnswer> => {
      memory.login = meanwhile;
      return Promise.resolve(fresh);
    };
    const sources = sourcesOf(memory, posting(post));
    const credentials = await providerCredentials({ ...provider, ...keys }, sources)({ signal, rejected: 'access' });
    expect(memory.login).toEqual(meanwhile);
    outcomes.push(credentials);
  }
  const start = 'The login with ChatGPT was refused';
  expect(outcomes).toMatchObject([
    { kind: 'bearer', token: 'theirs', accountId: 'their account' },
    { kind: 'missing', message: `${start}: the account has been signed out.` },
    {
      kind: 'missing',
      message: `${start} and could not be renewed: what is stored cannot be read now.`,
      passing: true,
    },
  ]);
});

test('no tokens are asked for where they could not be kept', async () => {
  const memory = new LoginInMemory({ ...chatgpt, refreshToken: 'refresh', expiresAt: 1 });
  memory.isFull = true;
  const sources = { ...sourcesOf(memory, posting(untouched)), now: () => 2 };
  expect(await providerCredentials({ ...provider, ...keys }, sources)({ signal })).toMatchObject({
    kind: 'missing',
    message: 'The login with ChatGPT has expired and could not be renewed: the disk is full.',
  });
});
