import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadLogin } from './login-store.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'capstan-login-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const renew = (): string => `Sign in again: CODEX_HOME=${home} codex login`;
const loaded = (stored: object | string): unknown => {
  writeFileSync(join(home, 'auth.json'), typeof stored === 'string' ? stored : JSON.stringify(stored));
  return loadLogin(home);
};
const webToken = (claims: object): string =>
  ['{"alg":"none"}', JSON.stringify(claims), 'sign'].map((part) => Buffer.from(part).toString('base64url')).join('.');

test('there is no login', () => {
  expect(loadLogin(home)).toEqual({ kind: 'none' });
  expect(loaded({})).toEqual({ kind: 'none' });
  expect(loaded({ OPENAI_API_KEY: null, tokens: null })).toEqual({ kind: 'none' });
  expect(loaded({ OPENAI_API_KEY: ' ', tokens: { access_token: '' } })).toEqual({ kind: 'none' });
});

test('tokens and no key are a login with ChatGPT', () => {
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
  expect(loaded(stored)).toEqual({ ...login, renewedAt: renewedAt + 123 });
  expect(loaded({ ...stored, last_refresh: 'yesterday' })).toEqual(login);
  expect(loaded({ auth_mode: 'chatgpt', OPENAI_API_KEY: 'sk-key', tokens })).toEqual(login);
  expect(loaded({ tokens: { access_token: 'opaque' } })).toEqual({
    kind: 'chatgpt',
    accessToken: 'opaque',
    renew: renew(),
  });
});

test('a key is a key', () => {
  const login = { kind: 'api-key', key: 'sk-key', renew: renew() };
  expect(loaded({ OPENAI_API_KEY: 'sk-key' })).toEqual(login);
  expect(loaded({ OPENAI_API_KEY: 'sk-key', tokens: { access_token: 't' } })).toEqual(login);
  expect(loaded({ auth_mode: 'apikey', OPENAI_API_KEY: 'sk-key', tokens: { access_token: 't' } })).toEqual(login);
  expect(loaded({ auth_mode: 'apikey', tokens: { access_token: 't' } })).toEqual({ kind: 'none' });
});

test('what cannot be read is reported without quoting it', () => {
  const path = join(home, 'auth.json');
  expect(loaded('{"OPENAI_API_KEY": "sk-secret",')).toEqual({
    kind: 'unusable',
    message: `The login in ${path} is not a JSON object.`,
    next: renew(),
  });
  rmSync(path);
  mkdirSync(path);
  expect(loadLogin(home)).toEqual({
    kind: 'unusable',
    message: `The login in ${path} cannot be read: it is a folder.`,
    next: renew(),
  });
});
