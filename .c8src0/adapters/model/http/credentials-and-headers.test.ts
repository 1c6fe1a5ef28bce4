import { expect, test } from 'vitest';
import { providerDefaults } from '../../../core/config/providers/provider-config.ts';
import { bearerHeader, type HeaderSources, requestSecrets, wireHeaders } from './credentials-and-headers.ts';

const sources: HeaderSources = {
  provider: {
    ...providerDefaults,
    id: 'p',
    name: 'P',
    baseUrl: 'http://x',
    httpHeaders: { 'X-Place': 'provider', 'X-Team': 'blue', Authorization: 'Basic provider-secret', Accept: '*/*' },
    envHttpHeaders: { 'X-Key': 'KEY', 'X-Blank': 'BLANK', 'X-Unset': 'UNSET' },
    queryParams: { token: 'query-secret' },
  },
  environment: { KEY: ' environment-secret ', BLANK: ' ' },
  request: { 'x-place': 'request', 'Content-Length': '3', 'bad name': 'x', 'x-bad': 'a\r\nb' },
  credentials: { kind: 'bearer', mode: 'api-key', token: 'key' },
  identify: bearerHeader,
  wants: 'events',
};

test('later sources win by name, bad headers and framing are left out', () => {
  expect(wireHeaders(sources)).toEqual({
    'x-place': 'request',
    'x-team': 'blue',
    'x-key': 'environment-secret',
    authorization: 'Bearer key',
    accept: 'text/event-stream',
    'content-type': 'application/json',
  });
});

test('a wire format says how requests identify themselves, and a request for one piece says so', () => {
  const credentials = { kind: 'bearer', mode: 'chatgpt', token: 'access', accountId: 'account-1', renew: '' } as const;
  const identify = () => ({ 'X-Api-Key': 'access' });
  const login: HeaderSources = { ...sources, credentials, identify, wants: 'json' };
  expect(wireHeaders(login)).toEqual({
    ...wireHeaders(sources),
    authorization: 'Basic provider-secret',
    'x-api-key': 'access',
    accept: 'application/json',
  });
  expect(requestSecrets(login)).toEqual(expect.arrayContaining(['access', 'account-1']));
});

test('a header of the provider may carry the key', () => {
  expect(wireHeaders({ ...sources, credentials: { kind: 'none' } })['authorization']).toBe('Basic provider-secret');
});

test('secrets are whatever could be a key, longest first', () => {
  expect(requestSecrets(sources)).toEqual([
    'Basic%20provider-secret',
    'Basic provider-secret',
    'Basic+provider-secret',
    'environment-secret',
    'provider-secret',
    'query-secret',
    'key',
  ]);
});
