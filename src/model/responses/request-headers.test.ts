import { expect, test } from 'vitest';
import { providerDefaults } from '../../config/providers.ts';
import { requestHeaders, secretsOf } from './request-headers.ts';
import type { HeaderSources } from './request-headers.ts';

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
  credentials: { kind: 'bearer', token: 'key' },
};

test('later sources win by name, bad headers and framing are left out', () => {
  expect(requestHeaders(sources)).toEqual({
    'x-place': 'request',
    'x-team': 'blue',
    'x-key': 'environment-secret',
    authorization: 'Bearer key',
    accept: 'text/event-stream',
    'content-type': 'application/json',
  });
});

test('a header of the provider may carry the key', () => {
  expect(requestHeaders({ ...sources, credentials: { kind: 'none' } })['authorization']).toBe('Basic provider-secret');
});

test('secrets are whatever could be a key, longest first', () => {
  expect(secretsOf(sources)).toEqual([
    'Basic provider-secret',
    'environment-secret',
    'environment-secret',
    'provider-secret',
    'query-secret',
    'query-secret',
    'provider',
    'provider',
    'key',
  ]);
});
