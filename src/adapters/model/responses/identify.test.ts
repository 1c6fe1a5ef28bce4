import { expect, test } from 'vitest';
import { identifyAccount } from './client.ts';

test('a login with ChatGPT names its account', () => {
  const login = { kind: 'bearer', mode: 'chatgpt', token: 'access', renew: '' } as const;
  expect(identifyAccount({ ...login, accountId: 'account-1' })).toEqual({
    authorization: 'Bearer access',
    'chatgpt-account-id': 'account-1',
  });
  expect(identifyAccount(login)).toEqual({ authorization: 'Bearer access' });
  expect(identifyAccount({ kind: 'bearer', mode: 'api-key', token: 'key' })).toEqual({ authorization: 'Bearer key' });
  expect(identifyAccount({ kind: 'none' })).toEqual({});
});
