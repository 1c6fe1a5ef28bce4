import { mkdtempSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loginFileStorage, loginLockPath } from './login-file.ts';
import { loginStore } from './login-store.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'capstan-login-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const renew = (): string => `Sign in again: CAPSTAN_HOME=${home} capstan login`;
const unused = (): never => {
  throw new Error('not needed to read a file');
};
const loadLogin = (folder: string, env = {}, limits = {}): unknown =>
  loginStore({
    home: folder,
    env,
    kept: 'file',
    limits,
    programs: { find: unused },
    programFolder: () => '/',
    locks: { take: unused },
    clock: { now: unused, sleep: unused },
  }).load();
const loaded = (stored: object | string): unknown => {
  writeFileSync(join(home, 'auth.json'), typeof stored === 'string' ? stored : JSON.stringify(stored));
  return loadLogin(home);
};
const webToken = (claims: object): string =>
  ['{"alg":"none"}', JSON.stringify(claims), 'sign'].map((part) => Buffer.from(part).toString('base64url')).join('.');

test('there is no login', async () => {
  expect(await loadLogin(home)).toEqual({ kind: 'none' });
  expect(await loaded({})).toEqual({ kind: 'none' });
  expect(await loaded({ OPENAI_API_KEY: null, tokens: null })).toEqual({ kind: 'none' });
  expect(await loaded({ OPENAI_API_KEY: ' ', tokens: { access_token: '' } })).toEqual({ kind: 'none' });
});

test('tokens and no key are a login with ChatGPT', async () => {
  const token = webToken({ exp: 1_800_000_000 });
  const tokens = { id_token: 'i', access_token: token, refresh_token: 'r', account_id: 'acc' };
  const login = {
    kind: 'chatgpt',
    accessToken: token,
    accountId: 'acc',
    refreshToken: 'r',
    expiresAt: 1_800_000_000_000,
    renew: renew(),
  };
  const renewedAt = Date.UTC(2026, 10, 1);
  const stored = { OPENAI_API_KEY: null, tokens, last_refresh: '2026-11-01T00:00:00.123456789Z' };
  expect(await loaded(stored)).toEqual({ ...login, renewedAt: renewedAt + 123 });
  expect(await loaded({ ...stored, last_refresh: 'yesterday' })).toEqual(login);
  expect(await loaded({ auth_mode: 'chatgpt', OPENAI_API_KEY: 'sk-key', tokens })).toEqual(login);
  expect(await loaded({ tokens: { access_token: 'opaque' } })).toEqual({
    kind: 'chatgpt',
    accessToken: 'opaque',
    renew: renew(),
  });
});

test('a key is a key', async () => {
  const login = { kind: 'api-key', key: 'sk-key', renew: renew() };
  expect(await loaded({ OPENAI_API_KEY: 'sk-key' })).toEqual(login);
  expect(await loaded({ OPENAI_API_KEY: 'sk-key', tokens: { access_token: 't' } })).toEqual(login);
  expect(await loaded({ auth_mode: 'apikey', OPENAI_API_KEY: 'sk-key', tokens: { access_token: 't' } })).toEqual(login);
  expect(await loaded({ auth_mode: 'apikey', tokens: { access_token: 't' } })).toEqual({ kind: 'none' });
});

test('what cannot be read is reported without quoting it', async () => {
  const path = join(home, 'auth.json');
  expect(await loaded('{"OPENAI_API_KEY": "sk-secret",')).toEqual({
    kind: 'unusable',
    message: `The login in ${path} is not a JSON object.`,
    next: renew(),
  });
  rmSync(path);
  mkdirSync(path);
  expect(await loadLogin(home)).toEqual({
    kind: 'unusable',
    message: `The login in ${path} cannot be read: it is a folder.`,
    next: renew(),
  });
});

test('a token that its user made is a login, and one in the environment goes before what is kept', async () => {
  const stored = { OPENAI_API_KEY: null, personal_access_token: 'at-stored' };
  expect(await loaded(stored)).toEqual({ kind: 'access-token', token: 'at-stored', renew: renew() });
  expect(await loadLogin(home, { CODEX_ACCESS_TOKEN: ' at-set ' })).toEqual({
    kind: 'access-token',
    token: 'at-set',
    renew: 'Check the token in CODEX_ACCESS_TOKEN, or unset it.',
  });
  expect(await loadLogin(home, { CODEX_ACCESS_TOKEN: ' ' })).toMatchObject({ token: 'at-stored' });
  expect(await loadLogin(home, { CODEX_ACCESS_TOKEN: webToken({ agent: 'a' }) })).toEqual({
    kind: 'unusable',
    message: 'CODEX_ACCESS_TOKEN holds no personal access token: those begin with "at-".',
    next: 'Check the token in CODEX_ACCESS_TOKEN, or unset it.',
  });
});

test('the account is read from the identity token where the file does not name it', async () => {
  const claims = {
    email: 'a@b.org',
    'https://api.openai.com/auth': {
      chatgpt_account_id: 'acc',
      chatgpt_plan_type: 'pro',
      chatgpt_account_is_fedramp: true,
    },
  };
  expect(await loaded({ tokens: { id_token: webToken(claims), access_token: 't' } })).toEqual({
    kind: 'chatgpt',
    accessToken: 't',
    accountId: 'acc',
    email: 'a@b.org',
    plan: 'pro',
    isFedramp: true,
    renew: renew(),
  });
});

test('a login that the limits do not allow is not used', async () => {
  await loaded({ tokens: { access_token: 't', account_id: 'acc' } });
  const allowed = [{ methods: ['chatgpt'] }, { workspaces: ['other', 'acc'] }, {}];
  for (const limits of allowed) expect(await loadLogin(home, {}, limits)).toMatchObject({ kind: 'chatgpt' });
  expect(await loadLogin(home, {}, { methods: ['api'] })).toEqual({
    kind: 'unusable',
    message: 'A login with ChatGPT is not allowed here, by forced_login_method or by the administrator.',
    next: 'Sign in with an API key: `capstan login --with-api-key`.',
  });
  expect(await loadLogin(home, {}, { workspaces: ['other'] })).toMatchObject({
    kind: 'unusable',
    message: expect.stringContaining('a workspace that is not allowed') as string,
  });
  await loaded({ OPENAI_API_KEY: 'sk-key' });
  expect(await loadLogin(home, {}, { workspaces: ['other'] })).toMatchObject({ kind: 'api-key' });
  expect(await loadLogin(home, {}, { methods: [] })).toMatchObject({ kind: 'unusable' });
});

test.each([
  ['a text', 'root:x:0:0::/:/bin/sh\n'],
  ['another document', '{"name": "package"}'],
  ['a folder', undefined],
])('a link to %s is neither followed nor replaced', async (_, content) => {
  const place = join(home, 'elsewhere');
  mkdirSync(place);
  const decoy = join(place, 'decoy');
  if (content === undefined) mkdirSync(decoy);
  else writeFileSync(decoy, content);
  symlinkSync(decoy, join(home, 'auth.json'));
  const file = loginFileStorage(home);
  const refused = `auth.json cannot be written: it is a link to ${decoy}, which holds no login. Remove the link`;
  await expect(file.remove()).rejects.toThrow(refused);
  await expect(file.write({ OPENAI_API_KEY: 'k' })).rejects.toThrow(refused);
  await expect(file.reserve()).rejects.toThrow(refused);
  expect(loginLockPath(home)).toBe(join(home, 'auth.json.lock'));
  expect(readdirSync(place)).toEqual(['decoy']);
  expect(content === undefined || readFileSync(decoy, 'utf8') === content).toBe(true);
});

test.each(['', '{}', '{"OPENAI_API_KEY": null}'])(
  'a link to a login, or to a file for one, is followed: %j',
  async (content) => {
    const place = join(home, 'place.json');
    writeFileSync(place, content);
    symlinkSync(place, join(home, 'auth.json'));
    const file = loginFileStorage(home);
    await file.write({ OPENAI_API_KEY: 'k' });
    expect([JSON.parse(readFileSync(place, 'utf8')), loginLockPath(home)]).toEqual([
      { OPENAI_API_KEY: 'k' },
      `${place}.lock`,
    ]);
    expect([await file.remove(), readdirSync(home)]).toEqual([true, ['auth.json']]);
  },
);
