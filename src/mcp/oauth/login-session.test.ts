import { expect, test } from 'vitest';
import type { McpAddressConfig } from '../../config/mcp-servers.ts';
import type { CredentialStore, McpCredentials } from './credential-store.ts';
import { LoginSession } from './login-session.ts';

const url = 'https://tools.example/mcp';

function sessionIn(kept: Map<string, McpCredentials>, clientId?: string): LoginSession {
  const store: CredentialStore = {
    read: (of) => kept.get(of) ?? {},
    write: (of, credentials) => void kept.set(of, credentials),
    remove: (of) => kept.delete(of),
  };
  const oauth = clientId === undefined ? {} : { clientId };
  const address = { kind: 'address', url, headers: {}, headerVariables: {}, oauth } as unknown as McpAddressConfig;
  return new LoginSession({ address, store, clientSecret: 'the-secret', random: () => 'random' });
}

test('a configured client is bound to the issuer that it first met, and its secret is not stored', () => {
  const kept = new Map<string, McpCredentials>();
  const session = sessionIn(kept, 'mine');
  const first = { issuer: 'https://login.example' };
  expect(session.clientInformation(first)).toEqual({ client_id: 'mine', client_secret: 'the-secret' });
  session.saveClientInformation({ client_id: 'mine', client_secret: 'the-secret', ...first });
  expect(kept.get(url)).toEqual({ client: { client_id: 'mine', ...first } });
  const again = sessionIn(kept, 'mine');
  expect(again.clientInformation(first)).toEqual({ client_id: 'mine', client_secret: 'the-secret', ...first });
  expect(() => again.clientInformation({ issuer: 'https://evil.example' })).toThrow(
    /it names https:\/\/evil.example as its authorization server, and you logged in at https:\/\/login.example/,
  );
  expect(sessionIn(kept, 'another').clientInformation({ issuer: 'https://evil.example' })).toEqual({
    client_id: 'another',
    client_secret: 'the-secret',
  });
});

test('tokens that another process renewed are not thrown away with the ones that they replaced', () => {
  const old = { access_token: 'a', token_type: 'Bearer', refresh_token: 'one' };
  const renewed = { ...old, refresh_token: 'two' };
  const kept = new Map<string, McpCredentials>([[url, { tokens: old }]]);
  const [here, there] = [sessionIn(kept), sessionIn(kept)];
  expect([here.tokens(), there.tokens()]).toEqual([old, old]);
  there.saveTokens(renewed);
  here.invalidateCredentials('tokens');
  expect(here.tokens()).toEqual(renewed);
  here.invalidateCredentials('tokens');
  expect(here.tokens()).toBeUndefined();
});
