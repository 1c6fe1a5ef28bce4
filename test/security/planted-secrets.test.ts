// @module-tag attack
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answer, callTool, failed, httpError, malformed, say, type ScriptStep } from '../../src/testing/index.ts';
import { formats } from '../formats/formats.ts';
import { startCollector } from '../harness/collector.ts';
import type { Place } from '../harness/run-capstan.ts';
import { type Scene, scene } from '../harness/scene.ts';
import { webToken } from '../harness/token-server.ts';

// One secret for each place where a user may put one. Some change when they are written into an address.
const secrets = {
  envKey: 'planted+env/key-1111',
  header: 'planted-header-2222',
  envHeader: 'planted-env-header-3333',
  query: 'planted query&4444',
  user: 'planted-user-5555',
  password: 'planted-password-6666',
  addressQuery: 'planted-address-7777',
  bearer: 'planted-bearer-8888',
  otelHeader: 'planted-otel-9999',
  otelQuery: 'planted-otel-query-aaaa',
  stored: 'planted-stored-bbbb',
};
const env = { PLANTED_KEY: secrets.envKey, PLANTED_HEADER: secrets.envHeader, OPENAI_API_KEY: '', CODEX_API_KEY: '' };

/** As it is, as an address has it, and every part of it that still helps to guess the rest. */
function tracesOf(secret: string): readonly string[] {
  return [
    secret,
    encodeURIComponent(secret),
    new URLSearchParams({ s: secret }).toString().slice(2),
    secret.slice(0, 12),
  ];
}

function traces(text: string): readonly string[] {
  const all = Object.entries(secrets).flatMap(([name, secret]) =>
    tracesOf(secret).map((trace) => [name, trace] as const),
  );
  return [...new Set(all.filter(([, trace]) => text.includes(trace)).map(([name]) => name))];
}

type Way = 'env_key' | 'bearer' | 'login';

/** A provider with a secret in every place, and collectors with more of them. */
async function plant(
  wire: string,
  way: Way,
  { model, place }: Scene,
  otelUrl = 'http://127.0.0.1:9',
): Promise<readonly string[]> {
  const { host, pathname } = new URL(model.url);
  const key = {
    env_key: 'env_key = "PLANTED_KEY"',
    bearer: `experimental_bearer_token = "${secrets.bearer}"`,
    login: 'requires_openai_auth = true',
  }[way];
  const exporter = `{ otlp-http = { endpoint = "${otelUrl}/v1?k=${secrets.otelQuery}", headers = { "x-team" = "${secrets.otelHeader}" } } }`;
  const path = join(place.home, 'config.toml');
  writeFileSync(
    path,
    `${readFileSync(path, 'utf8')}
[model_providers.planted]
name = "Planted"
base_url = "http://${secrets.user}:${secrets.password}@${host}${pathname}?sig=${secrets.addressQuery}"
wire_api = "${wire}"
${key}
request_max_retries = 0
stream_max_retries = 0
http_headers = { "x-secret" = "${secrets.header}" }
env_http_headers = { "x-env-secret" = "PLANTED_HEADER" }
query_params = { "api-key" = "${secrets.query}" }
[otel]
trace_exporter = ${exporter}
metrics_exporter = ${exporter}
`,
  );
  const token = webToken(4_000_000_000, { secret: secrets.stored });
  const login = { auth_mode: 'apikey', OPENAI_API_KEY: secrets.stored, tokens: { access_token: token } };
  writeFileSync(join(place.home, 'auth.json'), JSON.stringify(login));
  return ['-c', 'model_provider="planted"', '--skip-git-repo-check'];
}

/** All that a home holds, but for the two files in which the user put the secrets. */
function writtenIn({ home }: Place): string {
  const own = [join(home, 'config.toml'), join(home, 'auth.json')];
  return readdirSync(home, { recursive: true, encoding: 'utf8' })
    .map((name) => join(home, name))
    .filter((path) => statSync(path).isFile() && !own.includes(path))
    .map((path) => `${path}\n${readFileSync(path, 'latin1')}`)
    .join('\n');
}

/** The answers of a hostile or careless server: all that it was sent, in every form. */
function echoOf(wire: string): readonly (readonly [string, ScriptStep])[] {
  const all = Object.values(secrets).flatMap(tracesOf).slice().join(' ');
  const whole = Object.values(secrets)
    .flatMap((secret) => tracesOf(secret).slice(0, 3))
    .join(' ');
  const error = { message: whole, code: 'invalid_api_key', type: 'error', param: whole };
  const kept = answer({ items: [say('Half.')] });
  return [
    ['HTTP 401', httpError({ status: 401, body: { error } })],
    ['HTTP 400', httpError({ status: 400, body: { error } })],
    ['HTTP 500', httpError({ status: 500, body: { error: { message: whole } } })],
    ['a text without form', httpError({ status: 403, body: whole as never })],
    ['a stream that fails', failed({ code: 'server_error', message: whole })],
    ['a stream that is broken', malformed({ data: `{"error": "${all}`, of: kept })],
  ].map(([name, step]) => [`${wire}: ${String(name)}`, step as ScriptStep] as const);
}

describe('a turn that works', () => {
  const ways = formats.flatMap(({ title, wire }) =>
    (['env_key', 'bearer', 'login'] as const).map((way) => [title, wire, way] as const),
  );
  test.each(ways.filter(([title]) => ['Responses', 'Chat', 'Messages'].includes(title)))(
    '%s (%s), key by %s',
    async (_, wire, way) => {
      const collector = await startCollector();
      const stage = await scene([
        answer({
          items: [callTool('exec_command', { cmd: 'env; cat "$CAPSTAN_HOME/auth.json" ../home/auth.json; true' })],
        }),
        answer({ items: [say('Done.')] }),
        answer({ items: [say('Again.')] }),
      ]);
      const { model, place } = stage;
      const flags = await plant(wire, way, stage, collector.url);
      const run = (...words: readonly string[]) => place.runWith({ env }, ...words);
      const started = await run('exec', ...flags, '--json', '-v', '--context-events', 'hi');
      expect(started.code).toBe(0);
      // The secrets did reach the server: the test tests something.
      const [{ headers, path }] = model.requests as never as [{ headers: Record<string, string>; path: string }];
      expect(JSON.stringify(headers)).toContain(
        { env_key: secrets.envKey, bearer: secrets.bearer, login: secrets.stored }[way],
      );
      expect([headers['x-secret'], headers['x-env-secret'], path.includes('planted')]).toEqual([
        secrets.header,
        secrets.envHeader,
        true,
      ]);
      const id = String(started.events[0]!['thread_id']);
      const shown = [started];
      for (const words of [
        ['threads', 'show', id, '--full'],
        ['threads', 'show', id, '--json'],
        ['threads', 'list', '--json'],
        ['threads', 'export', id, '--format', 'jsonl'],
        ['threads', 'export', id, '--format', 'markdown'],
        ['threads', 'export', id, '--format', 'html'],
        ['replay', id, '--json'],
        ['replay', id, '--request', '2', '--print'],
        ['context', id],
        ['context', id, '--json'],
        ['context', id, '--request', 'last', '--json'],
        ['envelope', id, '--json'],
        ['config', 'show', '--json'],
        ['config', 'show', '--origin'],
        ['config', 'explain', 'model_providers.planted'],
        ['config', 'explain', 'otel'],
        ['login', 'status', '--json'],
        ['rerun', id, '--step', '1', '--json'],
      ]) {
        shown.push(await run(...words));
      }
      expect(shown.map(({ code }) => code)).toEqual(shown.map(() => 0));
      for (const { stdout, stderr } of shown) expect(traces(stdout + stderr)).toEqual([]);
      expect(traces(writtenIn(place))).toEqual([]);
      expect(traces(JSON.stringify(collector.requests.map(({ body }) => body)))).toEqual([]);
    },
    60_000,
  );
});

describe('a server that says back what it was sent', () => {
  const echoes = ['responses', 'chat', 'anthropic'].flatMap((wire) =>
    echoOf(wire).map(([name, step]) => [name, wire, step] as const),
  );
  test.each(echoes)(
    '%s',
    async (_, wire, step) => {
      const stage = await scene([step]);
      const flags = await plant(wire, 'env_key', stage);
      const ended = await stage.place.runWith({ env }, 'exec', ...flags, '--json', 'hi');
      expect(stage.model.requests).toHaveLength(1);
      // Those that this request did not hold, no one can know: they are the user's affair.
      const sent = traces(ended.stdout + ended.stderr + writtenIn(stage.place)).filter((name) => !unsent.has(name));
      expect(sent).toEqual([]);
    },
    60_000,
  );
  /** Secrets of another way to sign in, or of a collector: the model's server never had them. */
  const unsent: ReadonlySet<string> = new Set(['bearer', 'stored', 'otelHeader', 'otelQuery']);
});

test('an address that cannot be used is named without its secrets', { tags: 'representative' }, async () => {
  const { place } = await scene([]);
  for (const address of [
    `htp://${secrets.user}:${secrets.password}@host/?sig=${secrets.addressQuery}`,
    `${secrets.user}:${secrets.password}@host`,
    `https://${secrets.user}:${secrets.password}@host/v1/responses?sig=${secrets.addressQuery}`,
  ]) {
    const odd = [`base_url="${address}"`, 'request_max_retries=0', 'stream_max_retries=0'];
    const given = ['-c', 'model_provider="odd"', ...odd.flatMap((field) => ['-c', `model_providers.odd.${field}`])];
    const ended = await place.runWith({ env }, 'exec', ...given, '--skip-git-repo-check', 'hi');
    expect(ended.code).toBe(1);
    expect(traces(ended.stdout + ended.stderr)).toEqual([]);
  }
});
