import { expect, test } from 'vitest';
import { endpointTarget } from './destination.ts';

const provider = (baseUrl: string, queryParams: Readonly<Record<string, string>> = {}) => ({ baseUrl, queryParams });

test.each([
  ['https://api.example.com/v1', {}, 'https://api.example.com', '/v1/responses'],
  ['https://api.example.com/v1//', {}, 'https://api.example.com', '/v1/responses'],
  ['http://localhost:8080', {}, 'http://localhost:8080', '/responses'],
  ['https://x/openai?api-version=1', {}, 'https://x', '/openai/responses?api-version=1'],
  ['https://me:secret@x/v1', { b: 'ä&b', a: '1' }, 'https://x', '/v1/responses?b=%C3%A4%26b&a=1'],
])('%s with %j', (baseUrl, queryParams, origin, path) => {
  expect(endpointTarget(provider(baseUrl, queryParams), 'responses')).toMatchObject({ origin, path });
});

test('an IPv6 host stands without brackets', () => {
  expect(endpointTarget(provider('http://[::1]:9/v1'), 'responses')).toEqual({
    protocol: 'http:',
    host: '::1',
    port: '9',
    path: '/v1/responses',
    origin: 'http://[::1]:9',
  });
});

test.each(['', 'api.example.com', 'ftp://x/', 'http://'])('%j is no address', (baseUrl) => {
  expect(endpointTarget(provider(baseUrl), 'responses')).toBeUndefined();
});
