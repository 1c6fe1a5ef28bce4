import { expect, test } from 'vitest';
import type { McpAddressConfig } from '../../core/config/servers/mcp-servers.ts';
import type { CredentialStore, McpCredentials } from './credential-store.ts';
import { LoginSession } from './oauth-login.ts';

const url = 'https://tools.example/mcp';

function sessionIn(kept: Map<string, McpCredentials>, clientId?: string): LoginSession {
  const store: CredentialStore = {
    read: (of) => kept.get(of) ?? {},
    change: async (of, change) => void kept.set(of, change(kept.get(of) ?? {})),
    remove: async (of) => kept.delete(of),
    alone: async (_of, work) => work(),
  };
  const oauth = clientId === undefined ? {} : { clientId };
  const address = { kind: 'address', url, headers: {}, headerVariables: {}, oauth } as unknown as McpAddressConfig;
  return new LoginSession({ address, store, clientSecret: 'the-secret', random: () => 'random' });
}

test('a configured client is bound to the issuer that it first met, and its secret is not stored', async () => {
  const kept = new Map<string, McpCredentials>();
  const session = sessionIn(kept, 'mine');
  const first = { issuer: 'https://login.example' };
  expect(session.clientInformation(first)).toEqual({ client_id: 'mine', client_secret: 'the-secret' });
  await session.saveClientInformation({ client_id: 'mine', client_secret: 'the-secret', ...first });
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

test('tokens that another process renewed are not thrown away with the ones that they replaced', async () => {
  const old = { access_token: 'a', token_type: 'Bearer', refresh_token: 'one' };
  const renewed = { ...old, refresh_token: 'two' };
  const kept = new Map<string, McpCredentials>([[url, { tokens: old }]]);
  const [here, there] = [sessionIn(kept), sessionIn(kept)];
  expect([here.tokens(), there.tokens()]).toEqual([old, old]);
  await there.saveTokens(renewed);
  await here.invalidateCredentials('tokens');
  expect(here.tokens()).toEqual(renewed);
  await here.invalidateCredentials('tokens');
  expect(here.tokens()).toBeUndefined();
});

test('a login of an unknown issuer is shown to none, and replaced only by a person who logs in', () => {
  const tokens = { access_token: 'a', token_type: 'Bearer', refresh_token: 'one' };
  const session = sessionIn(new Map([[url, { tokens, client: { client_id: 'c', client_secret: 's' } }]]));
  expect(session.tokens()).toEqual(tokens);
  expect(session.tokens({ issuer: 'https://login.example' })).toBeUndefined();
  expect(() => session.clientInformation({ issuer: 'https://login.example' })).toThrow('it wants a login');
});

const issuer = 'https://login.example';
const form = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'one' });
const { signal } = new AbortController();

test('tokens that another process renewed are taken instead of the old refresh token being used again', async () => {
  const old = { access_token: 'a', token_type: 'Bearer', refresh_token: 'one', issuer };
  const kept = new Map<string, McpCredentials>([[url, { tokens: old }]]);
  const session = sessionIn(kept);
  expect([session.tokens(), session.tokens({ issuer })]).toEqual([old, old]);
  const newer = { ...old, access_token: 'b', refresh_token: 'two' };
  kept.set(url, { tokens: newer });
  const unsent = (): never => expect.fail('the old refresh token is sent');
  const response = await session.renew(form, unsent, signal);
  expect(await response.json()).toEqual(newer);
  await session.saveTokens({ ...newer, issuer });
  expect(kept.get(url)).toEqual({ tokens: newer });
});

test('a renewal is stored before others may ask, keeps a refresh token that is not replaced, and undoes no logout', async () => {
  const old = { access_token: 'a', token_type: 'Bearer', refresh_token: 'one', issuer };
  const kept = new Map<string, McpCredentials>([[url, { tokens: old }]]);
  const session = sessionIn(kept);
  expect([session.tokens(), session.tokens({ issuer })]).toEqual([old, old]);
  const answer = { access_token: 'b', token_type: 'Bearer' };
  await session.renew(form, async () => Response.json(answer), signal);
  expect(kept.get(url)).toEqual({ tokens: { ...old, ...answer } });
  session.tokens();
  const duringLogout = async (): Promise<Response> => {
    kept.delete(url);
    return Response.json({ ...answer, access_token: 'c' });
  };
  await session.renew(form, duringLogout, signal);
  expect(kept.get(url)).toEqual({});
  await expect(session.renew(form, duringLogout, signal)).rejects.toThrow('the login was removed');
});

test('a renewal that fails is named, as long as no one can be sent to a page', async () => {
  const tokens = { access_token: 'a', token_type: 'Bearer', refresh_token: 'one', issuer };
  const session = sessionIn(new Map([[url, { tokens }]]));
  session.tokens();
  await session.renew(form, async () => new Response('refresh_token=one', { status: 503 }), signal);
  expect(() => session.redirectToAuthorization(new URL(issuer))).toThrow(
    'its login could not be renewed: the answer was HTTP 503',
  );
});
