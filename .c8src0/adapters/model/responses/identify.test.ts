import { expect, test } from 'vitest';
import { accountHeaders } from './client.ts';

test('a login with ChatGPT names its account', () => {
  const login = { kind: 'bearer', mode: 'chatgpt', token: 'access', renew: '' } as const;
  expect(accountHeaders({ ...login, accountId: 'account-1' })).toEqual({
    authorization: 'Bearer access',
    'chatgpt-account-id': 'account-1',
  });
  expect(accountHeaders(login)).toEqual({ authorization: 'Bearer access' });
  expect(accountHeaders({ kind: 'bearer', mode: 'api-key', token: 'key' })).toEqual({ authorization: 'Bearer key' });
  expect(accountHeaders({ kind: 'none' })).toEqual({});
});
