import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loginRefusal, loginLimits, loginMethods } from './requirements.ts';

test('what the user chose and what the administrator allows both hold', () => {
  expect(loginLimits({}, {})).toEqual({});
  expect(loginLimits({ forcedChatgptWorkspaceId: [' ', ''] }, {})).toEqual({});
  expect(
    loginLimits({ forcedLoginMethod: 'api', forcedChatgptWorkspaceId: [' a ', 'b'] }, { loginWorkspaces: ['b', 'c'] }),
  ).toEqual({ methods: ['api'], workspaces: ['b'] });
  expect(loginLimits({ forcedLoginMethod: 'api' }, { loginMethods: ['chatgpt'] })).toEqual({ methods: [] });
});

test('no choice of a user allows what the administrator does not', () => {
  const method = fc.constantFrom(...loginMethods);
  const ids = fc.array(fc.constantFrom('a', 'b', 'c'));
  const chosen = fc.record({ forcedLoginMethod: method, forcedChatgptWorkspaceId: ids }, { requiredKeys: [] });
  const required = fc.record({ loginMethods: fc.array(method), loginWorkspaces: ids }, { requiredKeys: [] });
  const login = fc.record({ method, accountId: fc.constantFrom('a', 'b', 'c', undefined) });
  fc.assert(
    fc.property(chosen, required, login, (user, administrator, given) => {
      const alone = loginRefusal(given, loginLimits({}, administrator));
      const together = loginRefusal(given, loginLimits(user, administrator));
      expect(alone === undefined || together !== undefined).toBe(true);
    }),
  );
});
