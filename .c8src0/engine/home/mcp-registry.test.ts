import { expect, test } from 'vitest';
import { convertImportedServer } from './mcp-registry.ts';

test.each([
  [
    { command: 'a', args: ['-v'], env: { KEY: '${KEY}', MODE: 'ro', ODD: 7 } },
    { command: 'a', args: ['-v'], env: { MODE: 'ro' }, env_vars: ['KEY'] },
  ],
  [{ command: 'a', args: ['-v', 1] }, { command: 'a' }],
  [
    { url: 'https://a.org', headers: { X: 'y' } },
    { url: 'https://a.org', http_headers: { X: 'y' } },
  ],
  [{ type: 'http', url: 'https://a.org' }, { url: 'https://a.org' }],
  [{ command: 'a', url: 'https://a.org' }, expect.any(String)],
  [
    { url: 'https://a.org', headers: { Authorization: 'Bearer ${TOKEN}', 'X-Key': '${KEY}', X: 'y' } },
    {
      url: 'https://a.org',
      bearer_token_env_var: 'TOKEN',
      http_headers: { X: 'y' },
      env_http_headers: { 'X-Key': 'KEY' },
    },
  ],
  [{ url: '${BASE}/mcp' }, expect.any(String)],
  [{ command: 'a', env: { KEY: '${OTHER}' } }, expect.any(String)],
  [{ command: 'a', args: ['${ROOT:-.}'] }, expect.any(String)],
  [{ type: 'x' }, 'It must have either a command or a url.'],
  [{ type: 'sse', url: 'https://a.org' }, expect.stringContaining('sse')],
])('%j', (given, expected) => {
  expect(convertImportedServer(given)).toEqual(expected);
});
