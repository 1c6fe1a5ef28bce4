import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Engine } from '../../src/index.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, say } from '../../src/testing/index.ts';
import { issuedTokens, type IssuerAnswer, startIssuer } from '../harness/issuer.ts';
import { placeEngine } from '../harness/place-engine.ts';
import type { Finished, Place } from '../harness/run-capstan.ts';
import { scene } from '../harness/scene.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

const authOf = ({ home }: Place): JsonObject => JSON.parse(readFileSync(join(home, 'auth.json'), 'utf8')) as JsonObject;
const noKeys = { OPENAI_API_KEY: '', CODEX_API_KEY: '', CODEX_ACCESS_TOKEN: '', DISPLAY: '', WAYLAND_DISPLAY: '' };
const secrets = [...Object.values(issuedTokens), 'sk-login-1234567890', 'at-token-1234567890', 'verifier-1', 'code-1'];

function withoutSecrets({ stdout, stderr }: Pick<Finished, 'stdout' | 'stderr'>): void {
  for (const secret of secrets) expect(stdout + stderr).not.toContain(secret);
}

/** A home without a login, and commands in it. */
async function home(more = '') {
  const { model, place } = await scene([answer({ items: [say('Hello.')] })], more);
  const run = async (...words: readonly string[]): Promise<Finished> => {
    const finished = await place.runWith({ env: noKeys }, ...words);
    withoutSecrets(finished);
    return finished;
  };
  return { model, place, run };
}

const kept = {
  auth_mode: 'chatgpt',
  OPENAI_API_KEY: null,
  tokens: { ...issuedTokens, account_id: 'acc-1' },
  last_refresh: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
};

describe('a login that cannot be kept', () => {
  test.each([
    ['keyring', 'no program for a keyring was found'],
    ['ephemeral', 'so no login is kept'],
  ])('under %s is refused before the user signs in', async (store, why) => {
    const issuer = await startIssuer();
    const { place } = await home(`cli_auth_credentials_store = "${store}"\n`);
    // Whatever this machine has, no program for a keyring is on this path.
    const env = { ...noKeys, PATH: join(place.home, 'none') };
    const done = await place.runWith({ env }, 'login', '--device-auth', '--experimental_issuer', `${issuer.url}/`);
    expect([done.code, done.stderr, issuer.requests]).toEqual([1, expect.stringContaining(why), []]);
    const status = await place.runWith({ env }, 'login', 'status');
    expect(status.stdout + status.stderr).toContain(why);
    expect(status.stdout + status.stderr).not.toContain('Sign in with');
  });
});

describe('capstan login --device-auth', () => {
  test('shows a code, waits for the user, and keeps what Codex keeps', async () => {
    const issuer = await startIssuer();
    const { place, run } = await home();
    const done = await run('login', '--device-auth', '--experimental_issuer', `${issuer.url}/`);
    expect(done).toMatchObject({ code: 0, stdout: '' });
    expect(done.stderr).toContain(`${issuer.url}/codex/device`);
    expect(done.stderr).toContain('ABCD-EFGH');
    expect(done.stderr).toContain(
      `Signed in as user@example.org. The login is kept in ${join(place.home, 'auth.json')}.`,
    );
    expect(authOf(place)).toEqual(kept);
    expect(statSync(join(place.home, 'auth.json')).mode & 0o777).toBe(0o600);
    expect(readdirSync(place.home).filter((name) => name.includes('.tmp'))).toEqual([]);
    const asked = { device_auth_id: 'device-1', user_code: 'ABCD-EFGH' };
    const client = { client_id: 'app_EMoamEEZ73f0CkXaXp7hrann' };
    expect(issuer.requests.slice(0, 2).map(({ text }) => JSON.parse(text) as unknown)).toEqual([client, asked]);
    expect(Object.fromEntries(new URLSearchParams(issuer.requests[2]!.text))).toEqual({
      ...client,
      grant_type: 'authorization_code',
      code: 'code-1',
      code_verifier: 'verifier-1',
      redirect_uri: `${issuer.url}/deviceauth/callback`,
    });
    expect(await run('login', 'status')).toMatchObject({
      code: 0,
      stdout: 'Signed in with ChatGPT as user@example.org (pro).\n',
    });
    const { stdout } = await run('login', 'status', '--json');
    expect(JSON.parse(stdout)).toEqual({
      kind: 'chatgpt',
      email: 'user@example.org',
      plan: 'pro',
      expires_at: 4_000_000_001_000,
      variables: [],
    });
    expect(await run('logout')).toMatchObject({ code: 0, stderr: 'Signed out. The login is forgotten.\n' });
    expect(await run('logout')).toMatchObject({ code: 0, stderr: 'You were not signed in.\n' });
    expect(await run('login', 'status')).toMatchObject({
      code: 1,
      stdout: 'Not signed in. Sign in with `capstan login`.\n',
    });
  });

  const refusals: readonly (readonly [string, string, IssuerAnswer, string])[] = [
    ['the issuer offers no codes', 'usercode', [404, {}], 'does not offer to sign in with a code'],
    ['the first answer is no JSON', 'usercode', [200, '<html>'], 'the answer has no code'],
    ['the issuer fails', 'usercode', [500, 'code-1'], 'the answer was HTTP 500'],
    [
      'the code moves the cursor',
      'usercode',
      [200, { device_auth_id: 'd', user_code: '\u001B[2J' }],
      'cannot be typed',
    ],
    ['the code is refused', 'deviceauth/token', [400, { error: 'code-1' }], 'the answer was HTTP 400'],
    ['the code is not there', 'deviceauth/token', [200, {}], 'the answer has no code'],
    ['no tokens come', 'oauth/token', [200, { access_token: 'only-one' }], 'did not contain all tokens'],
    ['the exchange is refused', 'oauth/token', [401, { error: 'code-1' }], 'the answer was HTTP 401'],
  ];
  test.each(refusals)('leaves everything as it was if %s', async (_, end, given, why) => {
    const issuer = await startIssuer(({ path }) => (path.endsWith(end) ? given : undefined));
    const { place, run } = await home();
    const before = { auth_mode: 'apikey', OPENAI_API_KEY: 'sk-before' };
    writeFileSync(join(place.home, 'auth.json'), JSON.stringify(before));
    const done = await run('login', '--device-auth', '--experimental_issuer', issuer.url);
    expect(done).toMatchObject({ code: 1, stderr: expect.stringContaining(why) });
    expect(authOf(place)).toEqual(before);
  });

  test('an issuer that cannot be reached is named', async () => {
    const { run } = await home();
    const done = await run('login', '--device-auth', '--experimental_issuer', 'http://127.0.0.1:9');
    expect(done).toMatchObject({ code: 1, stderr: expect.stringContaining('http://127.0.0.1:9') });
  });
});

/** Signs in with a browser that behaves as `browse` says, through the engine: the page is where a browser would be. */
async function signIn(
  place: Place,
  issuer: string,
  browse: (page: URL) => Promise<unknown>,
  more: { readonly signal?: AbortSignal; readonly ports?: readonly number[] } = {},
) {
  const engine = await placeEngine(place, { env: { ...process.env, ...noKeys, CAPSTAN_HOME: place.home } });
  const logins = await engine.user.logins();
  const visits: Promise<unknown>[] = [];
  const way = { signal: new AbortController().signal, ports: [0], issuer, ...more };
  const done = await logins.withBrowser(way, (page) => void visits.push(browse(new URL(page))));
  await Promise.all(visits);
  return done;
}

function callbackOf(page: URL, more: Readonly<Record<string, string>>): URL {
  const back = new URL(page.searchParams.get('redirect_uri')!);
  back.search = new URLSearchParams({ state: page.searchParams.get('state')!, ...more }).toString();
  return back;
}

describe('capstan login', () => {
  test('signs in on a page that only the program that asked can complete', async () => {
    const issuer = await startIssuer();
    const { place } = await home();
    let challenge = '';
    const done = await signIn(place, issuer.url, async (page) => {
      const { state, code_challenge: given = '', ...asked } = Object.fromEntries(page.searchParams);
      challenge = given;
      expect(page.href.startsWith(`${issuer.url}/oauth/authorize?`)).toBe(true);
      expect(state).toMatch(/^[\w-]{43}$/);
      expect(asked).toEqual({
        response_type: 'code',
        client_id: 'app_EMoamEEZ73f0CkXaXp7hrann',
        redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/auth\/callback$/) as string,
        scope: 'openid profile email offline_access api.connectors.read api.connectors.invoke',
        code_challenge_method: 'S256',
        id_token_add_organizations: 'true',
        codex_cli_simplified_flow: 'true',
        originator: expect.any(String) as string,
      });
      for (const odd of [
        { code: 'evil', state: 'guess' },
        { code: 'evil', state: '' },
      ]) {
        expect((await fetch(callbackOf(page, odd))).status).toBe(400);
      }
      expect((await fetch(callbackOf(page, { code: 'real-code' }))).status).toBe(200);
    });
    expect(done).toEqual({ kind: 'signed-in', where: join(place.home, 'auth.json'), email: 'user@example.org' });
    expect(authOf(place)).toEqual(kept);
    expect(issuer.requests).toHaveLength(1);
    const fields = new URLSearchParams(issuer.requests[0]!.text);
    expect(fields.get('code')).toBe('real-code');
    expect(createHash('sha256').update(fields.get('code_verifier')!).digest('base64url')).toBe(challenge);
  });

  test('a page that says no, and a user who stops it, change nothing', async () => {
    const issuer = await startIssuer();
    const { place } = await home();
    const denied = await signIn(place, issuer.url, (page) => fetch(callbackOf(page, { error: 'access_denied' })));
    expect(denied).toMatchObject({
      code: 'login-failed',
      message: expect.stringContaining('"access_denied"') as string,
    });
    const stop = new AbortController();
    const stopped = await signIn(place, issuer.url, async () => stop.abort(), { signal: stop.signal });
    expect(stopped).toMatchObject({ code: 'login-stopped' });
    expect(issuer.requests).toEqual([]);
    expect(readdirSync(place.home)).not.toContain('auth.json');
  });

  test('takes the other port, and says so when both are in use', async () => {
    const servers = [createServer(), createServer()];
    const ports = await Promise.all(
      servers.map(async (server) => {
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
        whenTestEnds(() => void server.close());
        return (server.address() as AddressInfo).port;
      }),
    );
    const issuer = await startIssuer();
    const { place } = await home();
    const give = (page: URL): Promise<unknown> => fetch(callbackOf(page, { code: 'c' }));
    const done = await signIn(place, issuer.url, give, { ports: [...ports, 0] });
    expect(done).toMatchObject({ kind: 'signed-in' });
    expect(await signIn(place, issuer.url, give, { ports })).toMatchObject({
      code: 'login-ports',
      message: expect.stringContaining(ports.join(' and ')) as string,
      next: expect.stringContaining('--device-auth') as string,
    });
  });

  test('prints the page where there is no browser, and ends by the signal of Ctrl-C', async () => {
    const { place } = await home();
    const running = place.start(['login'], { env: noKeys });
    let stderr = '';
    running.child.stderr!.on('data', (text: string) => {
      stderr += text;
      if (stderr.includes('--device-auth')) running.child.kill('SIGINT');
    });
    const { signal, stdout } = await running.finished;
    expect([signal, stdout]).toEqual(['SIGINT', '']);
    expect(stderr).toContain(
      'Open this page in a browser on this machine:\n  https://auth.openai.com/oauth/authorize?',
    );
    expect(readdirSync(place.home)).not.toContain('auth.json');
  }, 20_000);
});

describe('capstan login --with-api-key', () => {
  const give = (place: Place, input: string, option = '--with-api-key', env = {}) =>
    place.start(['login', option], { env: { ...noKeys, ...env }, input }).finished;

  test('keeps a key from standard input, which requests then use', async () => {
    const { model, place, run } = await home();
    const done = await give(place, ' sk-login-1234567890\n');
    withoutSecrets(done);
    expect([done.code, authOf(place)]).toEqual([0, { auth_mode: 'apikey', OPENAI_API_KEY: 'sk-login-1234567890' }]);
    expect(await run('login', 'status')).toMatchObject({ code: 0, stdout: 'Signed in with an API key.\n' });
    const account = `[model_providers.account]\nname = "Account"\nbase_url = "${model.url}"\nrequires_openai_auth = true\n`;
    const path = join(place.home, 'config.toml');
    writeFileSync(path, `${readFileSync(path, 'utf8')}\n${account}`);
    expect((await run('exec', '-c', 'model_provider="account"', 'hi')).code).toBe(0);
    expect(model.requests[0]!.headers.authorization).toBe('Bearer sk-login-1234567890');
    const set = await place.runWith({ env: { ...noKeys, OPENAI_API_KEY: 'sk-other' } }, 'login', 'status');
    expect(set.stdout).toContain('Set and used instead: OPENAI_API_KEY.');
  }, 20_000);

  test.each([
    ['nothing', '', 'There is no key on standard input.'],
    ['blanks', ' \n\n', 'There is no key on standard input.'],
    ['two lines', 'sk-login-1234567890\nsk-login-1234567890\n', 'cannot be a key'],
    ['hidden characters', 'sk-\u001Blogin', 'cannot be a key'],
    ['a whole file', 'x'.repeat(100_000), 'longer than any API key'],
  ])('%s is no key', async (_, input, why) => {
    const { place } = await home();
    const done = await give(place, input);
    withoutSecrets(done);
    expect(done).toMatchObject({ code: 1, stderr: expect.stringContaining(why) });
    expect(readdirSync(place.home)).not.toContain('auth.json');
  });

  test('a personal access token is kept if the issuer knows it', async () => {
    const issuer = await startIssuer(({ headers }) =>
      headers.authorization === 'Bearer at-token-1234567890' ? undefined : [401, { error: 'at-wrong' }],
    );
    const { place, run } = await home();
    const env = { CODEX_AUTHAPI_BASE_URL: issuer.url };
    const wrong = await give(place, 'at-wrong', '--with-access-token', env);
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('it is not accepted') });
    expect(wrong.stderr).not.toContain('at-wrong');
    const odd = await give(place, 'eyJhbGciOi', '--with-access-token', env);
    expect(odd).toMatchObject({ code: 1, stderr: expect.stringContaining('those begin with "at-"') });
    expect((await give(place, 'at-token-1234567890', '--with-access-token', env)).code).toBe(0);
    expect(authOf(place)).toEqual({ OPENAI_API_KEY: null, personal_access_token: 'at-token-1234567890' });
    expect(await run('login', 'status')).toMatchObject({ stdout: 'Signed in with a personal access token.\n' });
  }, 20_000);
});

test('limits of the configuration hold for every way to sign in', async () => {
  const issuer = await startIssuer();
  const { place, run } = await home('forced_login_method = "api"\n');
  for (const words of [['login'], ['login', '--device-auth', '--experimental_issuer', issuer.url]]) {
    expect(await run(...words)).toMatchObject({ code: 1, stderr: expect.stringContaining('is not allowed here') });
  }
  expect(issuer.requests).toEqual([]);
  const path = join(place.home, 'config.toml');
  const limited = readFileSync(path, 'utf8').replace(/^forced.*$/m, 'forced_chatgpt_workspace_id = ["acc-2", ""]');
  writeFileSync(path, limited);
  const other = await run('login', '--device-auth', '--experimental_issuer', issuer.url);
  expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('a workspace that is not allowed') });
  expect(readdirSync(place.home)).not.toContain('auth.json');
  writeFileSync(path, limited.replace('"acc-2"', '"acc-1"'));
  expect((await run('login', '--device-auth', '--experimental_issuer', issuer.url)).code).toBe(0);
});

test('wrong usage is refused, a key on the command line with a reason', async () => {
  const { run } = await home();
  for (const [words, why] of [
    [['login', '--with-api-key', '--device-auth'], '--device-auth'],
    [['login', '--api-key', 'sk-login-1234567890'], 'can be read by other users'],
    [['login', 'now'], 'now'],
    [['login', '--json'], '--json'],
  ] as const) {
    expect(await run(...words)).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
  }
});

test('a home that cannot be written is named', async () => {
  const { place, run } = await home();
  const issuer = await startIssuer();
  const { mkdirSync } = await import('node:fs');
  mkdirSync(join(place.home, 'auth.json'));
  const done = await run('login', '--device-auth', '--experimental_issuer', issuer.url);
  expect(done).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`${join(place.home, 'auth.json')} cannot be written`),
  });
});

test('the library signs in the same way', async () => {
  const { place } = await home();
  const engine = await placeEngine(place, { env: { ...process.env, ...noKeys, CAPSTAN_HOME: place.home } });
  expect(engine).toBeInstanceOf(Engine);
  const logins = await engine.user.logins();
  expect(await logins.withKey('sk-login-1234567890')).toMatchObject({ kind: 'signed-in' });
  expect(await logins.status()).toEqual({ kind: 'api-key' });
  expect([await logins.signOut(), await logins.signOut()]).toEqual([true, false]);
});
