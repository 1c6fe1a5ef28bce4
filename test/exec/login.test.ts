import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, callTool, httpError, say, type Script } from '../../src/testing/index.ts';
import type { Finished, Place } from '../harness/run-capstan.ts';
import { type Scene, scene } from '../harness/scene.ts';

const webToken = (expires: number): string =>
  ['{}', JSON.stringify({ exp: expires }), 'signature-of-a-token']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');
const token = webToken(4_000_000_000);
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

function run(place: Place, env: Readonly<Record<string, string>> = {}): Promise<Finished> {
  const words = ['exec', '-c', 'model_provider="account"', 'hi'];
  return place.start(words, { env: { OPENAI_API_KEY: '', CODEX_API_KEY: '', ...env } }).finished;
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
    expect(shown.some((text) => text.includes('[redacted]'))).toBe(true);
    for (const secret of [token, account, 'refresh-0123456789']) {
      expect(shown.filter((text) => text.includes(secret))).toEqual([]);
    }
  });

  it('that has expired sends nothing and says how to sign in', async () => {
    const { model, place } = await signedIn([], webToken(1_000_000_000));
    const { code, stderr } = await run(place);
    expect([code, model.requests]).toEqual([1, []]);
    expect(stderr).toContain('The login with ChatGPT has expired.');
    expect(stderr).toContain(`CODEX_HOME=${place.home} codex login`);
  });

  it('that is not accepted says the same', async () => {
    const { place } = await signedIn([httpError({ status: 401, body: { error: { message: 'no' } } })]);
    const { code, stderr } = await run(place);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`CODEX_HOME=${place.home} codex login`)]);
  });

  it('stands back behind a key in a variable', async () => {
    const { model, place } = await signedIn([answer({ items: [say('done')] })]);
    expect((await run(place, { OPENAI_API_KEY: 'sk-key' })).code).toBe(0);
    const { headers } = model.requests[0]!;
    expect([headers.authorization, headers['chatgpt-account-id']]).toEqual(['Bearer sk-key', undefined]);
  });
});

/** All that the program left behind, apart from the login itself. */
function filesOf(place: Place): readonly string[] {
  return readdirSync(place.root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name !== join('home', 'auth.json') && statSync(join(place.root, name)).isFile())
    .map((name) => readFileSync(join(place.root, name), 'latin1'));
}
