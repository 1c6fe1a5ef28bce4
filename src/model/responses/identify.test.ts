import { expect, test } from 'vitest';
import { identify } from './client.ts';

test('a login with ChatGPT names its account', () => {
  const login = { kind: 'bearer', mode: 'chatgpt', token: 'access', renew: '' } as const;
  expect(identify({ ...login, accountId: 'account-1' })).toEqual({
    authorization: 'Bearer access',
    'chatgpt-account-id': 'account-1',
  });
  expect(identify(login)).toEqual({ authorization: 'Bearer access' });
  expect(identify({ kind: 'bearer', mode: 'api-key', token: 'key' })).toEqual({ authorization: 'Bearer key' });
  expect(identify({ kind: 'none' })).toEqual({});
});
