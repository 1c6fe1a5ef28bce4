import { execFile } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { answer, httpError, say } from '../../src/testing/index.ts';
import { startIssuer } from '../harness/issuer.ts';
import { startTokenServer, webToken } from '../harness/token-server.ts';
import { codexCommand, runCodex } from './codex.ts';
import { runCapstan, scene } from './scene.ts';

const claims = { 'https://api.openai.com/auth': { chatgpt_account_id: 'account', chatgpt_plan_type: 'pro' } };
const tokenOf = (number: number): string => webToken(4_000_000_000 + number, claims);

test('one login serves both programs: each renews it as the other does, and uses what the other kept', async () => {
  const refused = httpError({ status: 401, body: { error: { message: 'no' } } });
  let accepted = 0;
  const { model, place } = await scene(({ headers }) =>
    headers.authorization === `Bearer ${tokenOf(accepted)}` ? answer({ items: [say('done')] }) : refused,
  );
  const tokens = await startTokenServer(({ refresh_token: given }) =>
    given === `refresh-${accepted - 1}`
      ? [200, { id_token: tokenOf(accepted), access_token: tokenOf(accepted), refresh_token: `refresh-${accepted}` }]
      : [401, { error: { code: 'refresh_token_reused' } }],
  );
  onTestFinished(() => tokens.close());
  const provider = `\n[model_providers.account]\nname = "Account"\nbase_url = "${model.url}"\nrequires_openai_auth = true\nsupports_websockets = false\n`;
  appendFileSync(join(place.home, 'config.toml'), provider);
  const path = join(place.home, 'auth.json');
  const first = { id_token: tokenOf(0), access_token: tokenOf(0), refresh_token: 'refresh-0', account_id: 'account' };
  const lastRefresh = new Date().toISOString();
  writeFileSync(path, JSON.stringify({ OPENAI_API_KEY: null, tokens: first, last_refresh: lastRefresh }));
  const words = ['-c', 'model_provider="account"', '-c', `chatgpt_base_url="${model.url}"`, 'hi'];
  vi.stubEnv('OPENAI_API_KEY', '');
  for (const [name, value] of Object.entries(tokens.env)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const programs = { capstan: runCapstan, codex: runCodex };
  // The server accepts the old token no more; each program finds that out in its turn.
  for (const program of ['capstan', 'codex', 'capstan'] as const) {
    accepted++;
    const { code } = await programs[program](place, ...words);
    // Codex wants more of an account than we play here; its turn ends after the tokens were renewed.
    expect([program, code]).toEqual([program, program === 'capstan' ? 0 : code]);
    const { tokens: stored } = JSON.parse(readFileSync(path, 'utf8')) as { tokens: object };
    expect(stored).toMatchObject({ access_token: tokenOf(accepted), refresh_token: `refresh-${accepted}` });
  }
  const [ours, { refresh_reason: _reason, ...theirs } = {}] = tokens.requests;
  expect({ ...ours, refresh_token: '' }).toEqual({ ...theirs, refresh_token: '' });
  expect(tokens.requests.map((request) => request['refresh_token'])).toEqual(['refresh-0', 'refresh-1', 'refresh-2']);
}, 120_000);

test('both sign in by a code with the same requests, keep the same, and read what the other kept', async () => {
  const { place } = await scene([]);
  const path = join(place.home, 'auth.json');
  const issuer = await startIssuer();
  const { program, script, cwd, env } = codexCommand(place);
  const codex = async (...words: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await promisify(execFile)(program, [script, ...words], { cwd, env });
    return stdout + stderr;
  };
  const way = ['--device-auth', '--experimental_issuer', issuer.url];
  await codex('login', ...way);
  const theirs = JSON.parse(readFileSync(path, 'utf8')) as { tokens: Record<string, unknown> };
  const asked = issuer.requests.length;
  expect((await place.run('login', 'status')).stdout).toContain('Signed in with ChatGPT as user@example.org');
  expect((await place.run('logout')).code).toBe(0);
  expect((await place.run('login', ...way)).code).toBe(0);
  const ours = JSON.parse(readFileSync(path, 'utf8')) as { tokens: Record<string, unknown> };
  // Newer members of Codex say who signed in where; it does without them.
  const { oauth_provenance: _provenance, login_owner_id: _owner, ...tokens } = theirs.tokens;
  expect({ ...ours, last_refresh: '' }).toEqual({ ...theirs, tokens, last_refresh: '' });
  const sent = issuer.requests.map(({ method, path: at, headers, text }) => [
    method,
    at,
    headers['content-type'],
    text,
  ]);
  expect(sent.slice(asked)).toEqual(sent.slice(0, asked));
  expect(await codex('login', 'status')).toContain('Logged in using ChatGPT');
  await codex('logout');
  expect((await place.run('login', 'status')).code).toBe(1);
}, 120_000);
