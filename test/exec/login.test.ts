import { spawnSync } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, callTool, httpError, say, type Script } from '../../src/testing/index.ts';
import type { Finished, Place } from '../harness/run-capstan.ts';
import { type Scene, scene } from '../harness/scene.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';
import { startTokenServer, type TokenServer, webToken } from '../harness/token-server.ts';

const token = webToken(4_000_000_000);
const expired = webToken(1_000_000_000);
const renewed = webToken(4_000_000_001);
const account = 'account-0123456789';

/** A home with a login, and a provider that goes by it. */
async function signedIn(script: Script, accessToken = token): Promise<Scene> {
  const made = await scene(script);
  const { model, place } = made;
  const provider = `\n[model_providers.account]\nname = "OpenAI"\nbase_url = "${model.url}"\nrequires_openai_auth = true\n`;
  appendFileSync(join(place.home, 'config.toml'), provider);
  const tokens = {
    id_token: 'id',
    access_token: accessToken,
    refresh_token: 'refresh-0123456789',
    account_id: account,
  };
  writeFileSync(join(place.home, 'auth.json'), JSON.stringify({ OPENAI_API_KEY: null, tokens }));
  return made;
}

const hi = ['exec', '-c', 'model_provider="account"', '-c', 'model_providers.account.stream_max_retries=1', 'hi'];
const noKeys = { OPENAI_API_KEY: '', CODEX_API_KEY: '' };

function run(place: Place, env: Readonly<Record<string, string>> = {}): Promise<Finished> {
  return place.runWith({ env: { ...noKeys, ...env } }, ...hi);
}

/** In a process of its own, which may be started by another program. */
function start(place: Place, env: Readonly<Record<string, string>>, prefix: readonly string[] = []): Promise<Finished> {
  return place.start(hi, { env: { ...noKeys, ...env }, prefix }).finished;
}

/** Runs a script that may mount. */
const inNamespace = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c'];

function canMount(): boolean {
  return spawnSync(inNamespace[0]!, [...inNamespace.slice(1), 'mount --bind /etc/hosts /etc/hosts']).status === 0;
}

describe('a login with ChatGPT', () => {
  it('identifies requests, and is seen nowhere else', async () => {
    const refusal = httpError({ status: 400, body: { error: { message: `Bad token ${token} of ${account}.` } } });
    const { model, place } = await signedIn([
      answer({ items: [callTool('exec_command', { cmd: 'env' })] }),
      answer({ items: [say('done')] }),
      refusal,
    ]);
    const runs = [await run(place), await run(place)];
    expect(runs.map(({ code }) => code)).toEqual([0, 1]);
    expect(model.requests.map(({ headers }) => [headers.authorization, headers['chatgpt-account-id']])).toEqual(
      Array.from({ length: 3 }, () => [`Bearer ${token}`, account]),
    );
    const bodies = model.requests.map(({ decodedBytes }) => decodedBytes.toString('utf8'));
    const shown = [...runs.flatMap(({ stdout, stderr }) => [stdout, stderr]), ...bodies, ...filesOf(place)];
    expect(shown.some((text) => text.includes('<hidden>'))).toBe(true);
    for (const secret of [token, account, 'refresh-0123456789']) {
      expect(shown.filter((text) => text.includes(secret))).toEqual([]);
    }
  });

  it('that has expired is renewed before anything is sent, and kept for all programs', async () => {
    const { model, place } = await signedIn([answer({ items: [say('done')] })], expired);
    const tokens = await tokenServer(() => [200, { access_token: renewed, refresh_token: 'next-refresh-token' }]);
    const { code, stdout, stderr } = await run(place, tokens.env);
    expect([code, tokens.requests]).toEqual([0, [refreshWith('refresh-0123456789')]]);
    expect(model.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${renewed}`]);
    expect(JSON.parse(readFileSync(join(place.home, 'auth.json'), 'utf8'))).toEqual({
      OPENAI_API_KEY: null,
      tokens: { id_token: 'id', access_token: renewed, refresh_token: 'next-refresh-token', account_id: account },
      last_refresh: expect.any(String) as string,
    });
    for (const secret of [expired, renewed, 'refresh-0123456789', 'next-refresh-token']) {
      expect([stdout, stderr, ...filesOf(place)].filter((text) => text.includes(secret))).toEqual([]);
    }
  });

  it('that is refused is renewed, and the same request is sent again', async () => {
    const { model, place } = await signedIn(({ headers }) =>
      headers.authorization === `Bearer ${renewed}` ? answer({ items: [say('done')] }) : refused,
    );
    const tokens = await tokenServer(() => [200, { access_token: renewed }]);
    expect((await run(place, tokens.env)).code).toBe(0);
    const [first, second, ...more] = model.requests;
    expect([second?.decodedBytes.equals(first!.decodedBytes), more, tokens.requests.length]).toEqual([true, [], 1]);
  });

  it('that is refused however often it is renewed ends the turn', async () => {
    const { model, place } = await signedIn(() => refused);
    let count = 1;
    const tokens = await tokenServer(() => [200, { access_token: webToken(4_000_000_000 + ++count) }]);
    const { code, stderr } = await run(place, tokens.env);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`CAPSTAN_HOME=${place.home} capstan login`)]);
    expect([model.requests.length, tokens.requests.length]).toEqual([3, 2]);
  });

  it('that many processes need at once is renewed once', async () => {
    const { model, place } = await signedIn(() => answer({ items: [say('done')] }), expired);
    // As the real one: a refresh token works once.
    const tokens = await tokenServer((request) =>
      tokens.requests.indexOf(request) === 0
        ? [200, { access_token: renewed, refresh_token: 'next-refresh-token' }]
        : [401, { error: { code: 'refresh_token_reused' } }],
    );
    const runs = await Promise.all([1, 2, 3].map(() => start(place, tokens.env)));
    expect([runs.map(({ code }) => code), tokens.requests.length]).toEqual([[0, 0, 0], 1]);
    expect(new Set(model.requests.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${renewed}`]));
  });

  it.runIf(canMount())('in a file that is mounted by itself is renewed', async () => {
    const { place } = await signedIn([answer({ items: [say('done')] })], expired);
    const tokens = await tokenServer(() => [200, { access_token: renewed, refresh_token: 'next-refresh-token' }]);
    const path = join(place.home, 'auth.json');
    const { code } = await start(place, tokens.env, [...inNamespace, 'mount --bind "$0" "$0" && exec "$@"', path]);
    expect([code, JSON.parse(readFileSync(path, 'utf8'))]).toMatchObject([
      0,
      { tokens: { access_token: renewed, refresh_token: 'next-refresh-token' } },
    ]);
  });

  it.runIf(canMount())('in a file that is mounted read-only is left alone', async () => {
    const { model, place } = await signedIn([], expired);
    const tokens = await tokenServer(() => [200, { access_token: renewed, refresh_token: 'next-refresh-token' }]);
    const path = join(place.home, 'auth.json');
    const mount = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"';
    const { code, stderr } = await start(place, tokens.env, [...inNamespace, mount, path]);
    expect([code, model.requests, tokens.requests]).toEqual([1, [], []]);
    expect(stderr).toContain(`could not be renewed: ${path} cannot be written: the disk is read-only.`);
  });

  it('that has ended sends nothing and says how to sign in', async () => {
    const { model, place } = await signedIn([], expired);
    const tokens = await tokenServer(() => [401, { error: { code: 'refresh_token_expired', message: 'too old' } }]);
    const { code, stderr } = await run(place, tokens.env);
    expect([code, model.requests]).toEqual([1, []]);
    expect(stderr).toContain('The login with ChatGPT has expired: it was not used for too long.');
    expect(stderr).toContain(`CAPSTAN_HOME=${place.home} capstan login`);
  });

  it('is tried again while the place that renews it is in trouble', async () => {
    const { model, place } = await signedIn([answer({ items: [say('done')] })], expired);
    const tokens = await tokenServer(() =>
      tokens.requests.length === 1 ? [503, {}] : [200, { access_token: renewed }],
    );
    expect((await run(place, tokens.env)).code).toBe(0);
    expect([model.requests.length, tokens.requests.length]).toEqual([1, 2]);
  });

  it('stands back behind a key in a variable', async () => {
    const { model, place } = await signedIn([answer({ items: [say('done')] })]);
    expect((await run(place, { OPENAI_API_KEY: 'sk-key' })).code).toBe(0);
    const { headers } = model.requests[0]!;
    expect([headers.authorization, headers['chatgpt-account-id']]).toEqual(['Bearer sk-key', undefined]);
  });
});

describe('a command that prints the key', () => {
  /** A provider whose key a script of the shell prints. */
  async function printed(script: Script, command: string): Promise<Scene> {
    const made = await scene(script);
    const { model, place } = made;
    writeFileSync(join(place.root, 'key.sh'), command);
    const provider = `\n[model_providers.own]\nname = "Own"\nbase_url = "${model.url}"\n`;
    const auth = `auth = { command = "sh", args = ["key.sh"], cwd = ".." }\n`;
    appendFileSync(join(place.home, 'config.toml'), provider + auth);
    return made;
  }
  const words = ['exec', '-c', 'model_provider="own"', 'hi'];

  it('identifies requests, and runs again when the key is refused', async () => {
    const { model, place } = await printed(
      ({ headers }) => (headers.authorization === 'Bearer key-xx' ? answer({ items: [say('done')] }) : refused),
      'printf x >> runs; printf "key-%s\\n" "$(cat runs)"',
    );
    const { code, stdout, stderr } = await place.run(...words);
    expect([code, stderr, stdout]).toEqual([0, expect.not.stringContaining('key-x'), 'done\n']);
    expect(model.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer key-x', 'Bearer key-xx']);
  });

  it('that prints what was refused is named, and nothing is sent again', async () => {
    const { model, place } = await printed(() => refused, 'printf x >> runs; echo key-of-old');
    const { code, stderr } = await place.run(...words);
    const runs = readFileSync(join(place.root, 'runs'), 'utf8');
    expect([code, model.requests.length, runs]).toEqual([1, 1, 'xx']);
    expect(stderr).toContain('Check the key that the command in model_providers.own.auth prints, and its permissions.');
  });
});

const refused = httpError({ status: 401, body: { error: { message: 'no' } } });
const refreshWith = (refreshToken: string) => ({
  client_id: expect.stringMatching(/^app_/) as string,
  grant_type: 'refresh_token',
  refresh_token: refreshToken,
});

async function tokenServer(...given: Parameters<typeof startTokenServer>): Promise<TokenServer> {
  const server = await startTokenServer(...given);
  whenTestEnds(() => server.close());
  return server;
}

/** All that the program left behind, apart from the login itself. */
function filesOf(place: Place): readonly string[] {
  return readdirSync(place.root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name !== join('home', 'auth.json') && statSync(join(place.root, name)).isFile())
    .map((name) => readFileSync(join(place.root, name), 'latin1'));
}
