import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { builtInProviders } from '../../src/core/config/providers/built-in-providers.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, httpError, type RecordedRequest, say, type ScriptStep } from '../../src/testing/index.ts';
import { startLocalServer } from '../harness/local-server.ts';
import { scene } from '../harness/scene.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

const textOf = ({ decodedBytes }: RecordedRequest): string => decodedBytes.toString('utf8');

/** A model that can do all that it is asked for. */
function able(request: RecordedRequest): ScriptStep {
  const text = textOf(request);
  if (text.includes('once for each city')) {
    return answer({ items: [callTool('look_up', { city: 'Oslo' }), callTool('look_up', { city: 'Rome' })] });
  }
  if (text.includes('Call look_up')) return answer({ items: [callTool('look_up', { city: 'Oslo' })] });
  if (text.includes('Which colour')) return answer({ items: [say('Red.')] });
  if (text.includes('2 + 3')) return answer({ items: [say('{"sum":5}')] });
  return answer({ items: [say('ready to go')], deltas: true });
}

/** One that can do little, and says so in its own way. */
function poor(request: RecordedRequest): ScriptStep {
  const text = textOf(request);
  if (text.includes('once for each city')) return answer({ items: [callTool('look_up', { city: 'Oslo' })] });
  if (text.includes('Call look_up')) return answer({ items: [callTool('look_up', { city: 'Oslo' })] });
  if (text.includes('Which colour')) {
    return httpError({
      status: 400,
      body: JSON.stringify({ error: { message: 'image input is not supported', type: 'invalid' } }),
    });
  }
  if (text.includes('2 + 3')) return answer({ items: [say('five')] });
  return answer({ items: [say('ready')] });
}

it('names the address that is reached under the login', async () => {
  const { place } = await scene([]);
  writeFileSync(`${place.home}/config.toml`, 'model_provider = "openai"\n');
  const address = async (env: Readonly<Record<string, string>>, ...words: readonly string[]) =>
    (await place.runWith({ env }, 'models', ...words)).stdout;
  const [list, test] = [
    ['list', '--offline', '--json'],
    ['test', '--dry-run', '--json'],
  ] as const;
  const [ofKey, ofPlan] = ['https://api.openai.com/v1', 'https://chatgpt.com/backend-api/codex'];
  writeFileSync(
    `${place.home}/auth.json`,
    JSON.stringify({ auth_mode: 'chatgpt', tokens: { access_token: 'a', refresh_token: 'r', account_id: 'acc' } }),
  );
  expect(await address({}, ...list)).toContain(`"address":"${ofPlan}"`);
  expect(await address({}, ...test)).toContain(`"address":"${ofPlan}"`);
  expect(await address({ OPENAI_API_KEY: 'k' }, ...list)).toContain(`"address":"${ofKey}"`);
});

it('keeps the list of a key apart from those of logins', async () => {
  const { place } = await scene([]);
  // Its lists differ by who asks, and have one state.
  const names: Readonly<Record<string, string>> = {
    'Bearer key': 'of-variable',
    'Bearer plan': 'of-subscription',
    'Bearer stored': 'of-login',
  };
  const server = createServer(({ headers }, response) => {
    if (headers['if-none-match'] === '"1"') return void response.writeHead(304).end();
    const data = [{ id: names[headers.authorization ?? ''], context_length: 9000 }];
    return void response.writeHead(200, { etag: '"1"' }).end(JSON.stringify({ data }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  whenTestEnds(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/v1`;
  writeFileSync(`${place.home}/config.toml`, `model_provider = "openai"\nopenai_base_url = "${url}"\n`);
  const plan = { auth_mode: 'chatgpt', tokens: { access_token: 'plan', refresh_token: 'r', account_id: 'acc' } };
  const listed = async (login: JsonObject, env: Readonly<Record<string, string>>, ...words: readonly string[]) => {
    writeFileSync(`${place.home}/auth.json`, JSON.stringify(login));
    const { stdout } = await place.runWith(
      { env: { OPENAI_API_KEY: '', ...env } },
      'models',
      'list',
      '--json',
      ...words,
    );
    return (JSON.parse(stdout) as { models: { model: string }[] }).models.map(({ model }) => model);
  };
  const key = { OPENAI_API_KEY: 'key' };
  expect(await listed(plan, key)).toEqual(['of-variable']);
  expect(await listed(plan, {})).toEqual(['of-subscription']);
  expect(await listed(plan, key, '--offline')).toEqual(['of-variable']);
  expect(await listed(plan, {})).toEqual(['of-subscription']);
  expect(await listed({ OPENAI_API_KEY: 'stored' }, {})).toEqual(['of-login']);
});

/** A provider of the table, at the scripted model and at a server with these pages. */
async function at(
  id: string,
  script: (request: RecordedRequest) => ScriptStep,
  pages: Readonly<Record<string, JsonObject>> = {},
) {
  const made = await scene((request) => script(request));
  const { port } = await startLocalServer(['m'], made.model, pages);
  const table = `model_providers."${id}"`;
  const { place } = made;
  writeFileSync(
    `${place.home}/config.toml`,
    `model_provider = "${id}"\nmodel = "m"\n[${table}]\nbase_url = "http://127.0.0.1:${port}/v1"\nrequest_max_retries = 0\n`,
  );
  const keys = {
    OPENAI_API_KEY: 'k',
    ANTHROPIC_API_KEY: 'k',
    OPENROUTER_API_KEY: 'k',
    AZURE_OPENAI_API_KEY: 'k',
    GEMINI_API_KEY: 'k',
  };
  const run = (...words: readonly string[]) => place.runWith({ env: keys }, 'models', ...words);
  return { ...made, run };
}

function found(stdout: string): Readonly<Record<string, string>> {
  const { found: rows } = JSON.parse(stdout) as { found: { ability: string; state: string }[] };
  return Object.fromEntries(rows.map(({ ability, state }) => [ability, state]));
}

const yes = { stream: 'yes', usage: 'yes', tools: 'yes', 'parallel calls': 'yes', pictures: 'yes', schema: 'yes' };

describe('models test', () => {
  it.each(Object.keys(builtInProviders))('of a model at %s, in its own dialect', async (id) => {
    const { run, model } = await at(id, able);
    const { code, stdout, stderr } = await run('test', '--json');
    expect([code, stderr]).toEqual([0, expect.stringContaining('Sending 5 requests with about ')]);
    expect(found(stdout)).toEqual({ ...yes, overflow: 'skipped' });
    const format = builtInProviders[id as keyof typeof builtInProviders].wireApi;
    const end = { responses: '/responses', chat: '/chat/completions', anthropic: '/messages' }[format];
    expect(new Set(model.requests.map(({ path }) => path.endsWith(end)))).toEqual(new Set([true]));
  });

  it('becomes the record of the model, which later threads read', async () => {
    const { run, place, model } = await at('vllm', poor);
    const { code, stdout, stderr } = await run('test');
    expect(code).toBe(0);
    expect(stdout.split('\n').map((line) => line.split(/\s{2,}/).slice(0, 2))).toEqual(
      expect.arrayContaining([
        ['parallel calls', 'no'],
        ['pictures', 'no'],
        ['schema', 'no'],
        ['overflow', 'skipped'],
      ]),
    );
    expect(stderr).toContain('Capstan sends it no pictures from now on.');
    const file = /It is kept in (?<file>\S+)\./.exec(stderr)?.groups?.['file'] ?? '';
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      provider: 'vllm',
      models: [{ slug: 'm', fields: { modalities: ['text'], parallelCalls: false } }],
    });
    const before = model.requests.length;
    expect((await place.run('exec', 'hi')).code).toBe(0);
    expect(model.requests[before]?.body['parallel_tool_calls']).toBe(false);
    const envelope = JSON.parse((await place.run('envelope', '--json')).stdout) as {
      fields: { field: string; value: unknown; origin: string }[];
    };
    const source = expect.stringMatching(/^models test of \d{4}-\d\d-\d\d$/);
    expect(envelope.fields).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ field: 'identity.model.parallelCalls', value: false, origin: source }),
        expect.objectContaining({ field: 'capabilities.modalities', value: ['text'], origin: source }),
      ]),
    );
    const shown = JSON.parse((await run('show', 'm', '--json')).stdout) as { fields: JsonObject[] };
    expect(shown.fields).toContainEqual({ field: 'parallel_calls', value: false, source });
    const listed = JSON.parse((await run('list', '--offline', '--json')).stdout) as { models: JsonObject[] };
    expect(listed.models).toMatchObject([{ model: 'm', tested: true }]);
  });

  it('sends nothing with --dry-run, and says what it would send', async () => {
    const { run, model } = await at('vllm', able);
    const { code, stdout, stderr } = await run('test', 'other', '--dry-run');
    expect([code, model.requests.length]).toEqual([0, 0]);
    expect(stdout).toMatch(/^stream, usage +about \d+ tokens\n/);
    expect(stderr).toContain('Nothing was sent. A test sends 5 requests with about ');
  });

  it.each([
    [
      'refuses, and names its window',
      () =>
        httpError({
          status: 400,
          body: JSON.stringify({
            error: { message: "This model's maximum context length is 7000 tokens. However, you requested 9000." },
          }),
        }),
      'yes',
      { contextWindow: 7000 },
    ],
    ['cuts silently', () => answer({ items: [say('I see no code word.')] }), 'no', {}],
    ['has a larger one', () => answer({ items: [say('bluefish-7041')] }), 'no', {}],
  ])('a request that is too long for a small window: the server %s', async (_, reply, state, fields) => {
    const pages = { '/v1/models': { data: [{ id: 'm', max_model_len: 8000 }] } };
    const { run } = await at(
      'vllm',
      (request) => (textOf(request).includes('code word') ? reply() : able(request)),
      pages,
    );
    expect((await run('list')).code).toBe(0);
    const { stdout } = await run('test', '--json');
    expect(found(stdout)['overflow']).toBe(state);
    expect((JSON.parse(stdout) as { record: JsonObject }).record).toMatchObject(fields);
  });

  it('ends where no question would be answered', async () => {
    const { run } = await at('gemini', () =>
      httpError({ status: 401, body: JSON.stringify({ error: { message: 'bad key' } }) }),
    );
    const { code, stderr } = await run('test');
    expect([code, stderr]).toEqual([1, expect.stringContaining('GEMINI_API_KEY')]);
  });

  it.each([
    [404, 'model "m" not found, try pulling it first'],
    [400, 'No model with this name.'],
  ])('ends at a server that does not have the model (%i), and keeps nothing', async (status, message) => {
    const { run, place } = await at('vllm', () => httpError({ status, body: { error: { message } } }));
    const { code, stdout, stderr } = await run('test');
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(message)]);
    expect(stderr).not.toContain('kept in');
    expect(existsSync(`${place.home}/capstan/models`)).toBe(false);
  });

  it('takes a refusal of one question alone as its answer, whatever its status', async () => {
    const { run } = await at('openrouter', (request) =>
      textOf(request).includes('Which colour')
        ? httpError({ status: 404, body: { error: { message: 'No endpoints found that support image input' } } })
        : able(request),
    );
    const { code, stdout } = await run('test', '--json');
    expect([code, found(stdout)]).toEqual([0, { ...yes, pictures: 'no', overflow: 'skipped' }]);
  });

  it('says that pictures are left out where the model does not see them', async () => {
    const { run } = await at('vllm', (request) =>
      textOf(request).includes('Which colour') ? answer({ items: [say('I cannot tell.')] }) : able(request),
    );
    expect((await run('test')).stderr).toContain('pictures: Capstan sends it no pictures from now on.');
    expect((await run('show', 'm')).stderr).not.toContain('models test');
  });

  it('says which key is missing, and where to get it', async () => {
    const { place } = await at('openrouter', able);
    const { code, stderr } = await place.run('models', 'test');
    expect(code).toBe(1);
    expect(stderr).toContain('There is no key for OpenRouter: OPENROUTER_API_KEY is not set.');
    expect(stderr).toContain('Create a key at https://openrouter.ai/settings/keys and set OPENROUTER_API_KEY to it.');
  });

  it('needs a model where there is no usual one', async () => {
    const { place } = await scene([]);
    const { code, stderr } = await place.run('models', 'test', '--provider', 'vllm');
    expect([code, stderr]).toEqual([1, expect.stringContaining('the provider "vllm" has no usual one')]);
  });
});

describe('models list', () => {
  it('asks the server, keeps what it says, and shows it later without asking', async () => {
    const pages = { '/v1/models': { data: [{ id: 'b', context_length: 64_000 }, { id: 'a' }] } };
    const { run } = await at('openrouter', able, pages);
    const { code, stdout } = await run('list');
    expect([code, stdout]).toEqual([0, 'a          not known\nb  64,000  the server’s list of models\n']);
    expect(JSON.parse((await run('list', '--offline', '--json')).stdout)).toMatchObject({
      provider: 'openrouter',
      models: [
        { model: 'a', tested: false },
        { model: 'b', window: 64_000 },
      ],
      server: 'unasked',
    });
  });

  it.each([
    ['ollama', {}, /^gpt-oss:20b {2}131,072 {2}built-in catalogue\n$/, 'Nothing listens at http://127.0.0.1:9'],
    ['vllm', {}, /^$/, 'Nothing listens at http://127.0.0.1:9'],
    ['openrouter', {}, /^$/, 'There is no key for OpenRouter: OPENROUTER_API_KEY is not set.'],
    ['openai', { OPENAI_API_KEY: 'k' }, /^gpt-5\.2 +272,000 (?!.*(claude|gemini|gpt-oss))/s, 'Nothing listens'],
    ['mine', {}, /^$/, 'Nothing listens'],
  ])('of %s without an answer has its own models alone, and says why', async (id, env, rows, why) => {
    const { place } = await scene([]);
    writeFileSync(
      `${place.home}/config.toml`,
      `model_provider = "${id}"\n[model_providers.${id}]\nbase_url = "http://127.0.0.1:9/v1"\n`,
    );
    const { code, stdout, stderr } = await place.runWith({ env }, 'models', 'list');
    expect([code, stdout]).toEqual([0, expect.stringMatching(rows)]);
    expect(stderr).toContain('gave no list of models');
    expect(stderr).toContain(why);
    const listed = JSON.parse((await place.runWith({ env }, 'models', 'list', '--json')).stdout) as JsonObject;
    expect(listed).toMatchObject({ server: 'silent', problem: { message: expect.stringContaining(why) } });
  });

  it('says which status a server answers instead of a list, and names the configured model', async () => {
    const { place, model } = await scene([httpError({ status: 403, body: { error: { message: 'sk-echoed-key' } } })]);
    const { code, stdout, stderr } = await place.run('models', 'list');
    expect([code, stdout]).toEqual([0, 'gpt-5.5  272,000  built-in catalogue\n']);
    expect(stderr).toMatch(/answered with status \d{3} and no list/);
    expect([stderr.includes('sk-echoed'), model.url.length > 0]).toEqual([false, true]);
  });
});

describe('models show', () => {
  it('names the source of each field', async () => {
    const { place } = await scene([]);
    const { stdout } = await place.run('models', 'show', 'gpt-5.5');
    expect(stdout).toMatch(/^context_window +272000 +built-in catalogue\n/);
    expect(stdout).toMatch(/^edit_tools +patch +built-in catalogue$/m);
    const unknown = await place.run('models', 'show', 'mystery');
    expect(unknown.stdout).toMatch(/^context_window +272000 +general values\n/);
    expect(unknown.stderr).toContain('`capstan models test mystery --provider scripted --dry-run`');
  });

  it('has the window that is configured, as threads have it', async () => {
    const { place } = await scene([], 'model_context_window = 64000\n[window]\neffective_percent = 80\n');
    for (const model of ['mystery', 'gpt-5.5']) {
      const { stdout } = await place.run('models', 'show', model);
      expect(stdout).toMatch(/^context_window +64000 +config\.toml\n/);
      expect(stdout).toMatch(/^effective_context_window_percent +80 +config\.toml$/m);
    }
    const plan = await place.run('models', 'test', 'mystery', '--dry-run', '--overflow');
    expect(plan.stdout).toMatch(/^overflow +about [\d,]+ tokens$/m);
  });

  it.each([
    [['show'], 'show needs the name of a model.'],
    [['list', '--dry-run'], '--dry-run'],
    [['list', '--provider', 'nowhere'], 'There is no provider "nowhere".'],
    [['tset'], 'tset'],
  ])('%j is refused, and says why', async (words, expected) => {
    const { place } = await scene([]);
    const { code, stderr } = await place.run('models', ...words);
    expect(code).not.toBe(0);
    expect(stderr).toContain(expected);
  });
});
