import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, say } from '../../src/testing/index.ts';
import { says, saysLong, talk } from '../compaction/talk.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { startLocalServer } from '../harness/local-server.ts';

const loaded = (tokens: number) => ({ models: [{ name: 'qwen3:latest', context_length: tokens }] });

/** A thread at a server of this machine, which has these pages, and can be opened again. */
async function threadAt(provider: string, pages: Readonly<Record<string, JsonObject | 'silent'>>, model = 'qwen3') {
  const live = await LiveThread.in(() => answer({ items: [say('ok')] }));
  const { port, asked, givenUp } = await startLocalServer([model], live.model, pages);
  const overrides = [
    `model_provider="${provider}"`,
    `model="${model}"`,
    `model_providers."${provider}".base_url="http://127.0.0.1:${port}/v1"`,
    `model_providers."${provider}".wire_api="responses"`,
  ];
  const open = (...more: readonly string[]) => live.open({ config: [...overrides, ...more] });
  return { live, open, asked, givenUp, overrides };
}

function windowOf(live: LiveThread): unknown {
  const { identity, window } = live.thread.state.envelope as unknown as {
    identity: { model: { contextWindow: number; sources?: { contextWindow?: string } } };
    window: { effective: number };
  };
  return [identity.model.contextWindow, identity.model.sources?.contextWindow, window.effective];
}

test.each<[string, Readonly<Record<string, JsonObject>>, number, string]>([
  ['ollama', { '/api/ps': loaded(8192), '/api/show': { capabilities: ['vision'] } }, 8192, 'ollama /api/ps'],
  [
    'lmstudio',
    { '/api/v0/models': { data: [{ id: 'qwen3', type: 'llm', loaded_context_length: 16_384 }] } },
    16_384,
    'lmstudio /api/v0/models',
  ],
  ['llama.cpp', { '/props': { default_generation_settings: { n_ctx: 20_480 } } }, 20_480, 'llama.cpp /props'],
  ['vllm', { '/v1/models': { data: [{ id: 'qwen3', max_model_len: 40_960 }] } }, 40_960, 'the server’s list of models'],
])('the first turn at %s knows the window of the server', async (provider, pages, tokens, source) => {
  const { live, open } = await threadAt(provider, pages);
  await open();
  expect(live.notices).toEqual([]);
  expect(await live.turn('hi')).toMatchObject({ kind: 'completed' });
  expect(windowOf(live)).toEqual([tokens, source, Math.floor(tokens * 0.95)]);
});

test('what a server said is kept for its provider alone, closed to others, and no later start waits for it', async () => {
  const pages: Record<string, JsonObject> = { '/api/ps': loaded(8192), '/api/show': {} };
  const { live, open, asked } = await threadAt('ollama', pages);
  await open();
  await live.turn('hi');
  const folder = join(live.place.home, 'capstan/models');
  const [file = ''] = readdirSync(folder);
  expect(file).toMatch(/^ollama-[0-9a-f]{16}\.said\.json$/);
  expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  const before = asked.length;
  await open();
  expect(asked.slice(before)).toEqual([]);
});

test('a thread that moves to another provider knows the window of its model at the provider before', async () => {
  const live = await LiveThread.in(talk([saysLong(), says('ok')]));
  const [large, small] = await Promise.all([
    startLocalServer(['qwen3'], live.model, { '/api/ps': loaded(131_072), '/api/show': {} }),
    startLocalServer(['qwen3'], live.model, {
      '/api/v0/models': {
        data: [
          { id: 'llama3', type: 'llm', loaded_context_length: 32_768 },
          { id: 'qwen3', type: 'llm', loaded_context_length: 8192 },
        ],
      },
    }),
  ]);
  const overrides = [
    `model_providers.ollama.base_url="http://127.0.0.1:${large.port}/v1"`,
    `model_providers.lmstudio.base_url="http://127.0.0.1:${small.port}/v1"`,
  ];
  await live.open({ config: [...overrides, 'model_provider="ollama"', 'model="qwen3"'] });
  await live.turn('one');
  await live.open({ config: [...overrides, 'model_provider="lmstudio"', 'model="llama3"'] });
  await live.turn('two');
  expect(live.told('checkpoint-started')[0]).toMatchObject({ reason: 'model_downshift' });
});

test('a turn with another model does not wait for a question about the model before it', async () => {
  const pages: Record<string, JsonObject | 'silent'> = { '/api/ps': loaded(8192), '/api/show': {} };
  const { live, open, asked, givenUp } = await threadAt('ollama', pages);
  await open();
  await live.turn('hi');
  await live.close();
  const folder = join(live.place.home, 'capstan/models');
  const path = join(folder, readdirSync(folder)[0] ?? '');
  const kept = JSON.parse(readFileSync(path, 'utf8')) as JsonObject;
  writeFileSync(path, JSON.stringify({ ...kept, asked_at: 0 }));
  pages['/api/ps'] = 'silent';
  await open();
  const before = asked.length;
  await live.turn('one');
  await expect.poll(() => asked.slice(before).filter((page) => page === '/api/ps')).toHaveLength(1);
  pages['/api/ps'] = { models: [{ name: 'llama3:latest', context_length: 16_384 }] };
  expect(await live.thread.overrideTurnContext({ model: 'llama3' })).toMatchObject({ kind: 'changed' });
  expect(await live.turn('two')).toMatchObject({ kind: 'completed' });
  expect(windowOf(live)).toMatchObject([16_384, 'ollama /api/ps', Math.floor(16_384 * 0.95)]);
  // The question is given up after five seconds.
  expect(givenUp).toEqual([]);
});

test('a window that changed at the server counts from the next turn on', async () => {
  const pages: Record<string, JsonObject> = { '/api/ps': loaded(8192), '/api/show': {} };
  const { live, open } = await threadAt('ollama', pages);
  await open();
  await live.turn('hi');
  await live.close();
  const folder = join(live.place.home, 'capstan/models');
  const path = join(folder, readdirSync(folder)[0] ?? '');
  const kept = JSON.parse(readFileSync(path, 'utf8')) as JsonObject;
  writeFileSync(path, JSON.stringify({ ...kept, asked_at: 0 }));
  pages['/api/ps'] = loaded(4096 * 4);
  await open();
  await live.turn('one');
  expect(windowOf(live)).toMatchObject({ 0: 8192 });
  await expect
    .poll(() => (JSON.parse(readFileSync(path, 'utf8')) as { models: { fields: object }[] }).models[0]?.fields)
    .toEqual({ contextWindow: 16_384 });
  await live.turn('two');
  expect(windowOf(live)).toMatchObject({ 0: 16_384 });
});

test('a larger window than the server has is not used, and the notice says so', async () => {
  const { live, open } = await threadAt('ollama', { '/api/ps': loaded(8192), '/api/show': {} });
  await open('model_context_window=100000');
  expect(live.notices).toEqual([
    {
      code: 'window-too-large',
      message: 'model_context_window is 100000, but the model qwen3 has a window of 8,192 tokens. Capstan uses 8,192.',
      next: 'Set it to 8192 or less, or give the server a larger window.',
    },
  ]);
});

test('a model that the server says nothing about is unknown, as before', async () => {
  const { live, open } = await threadAt('ollama', {}, 'strange');
  await open();
  expect(live.notices).toMatchObject([{ code: 'model-unknown' }]);
});

test('a catalogue of the user’s own is all that counts', async () => {
  const { live, open, asked } = await threadAt('ollama', { '/api/ps': loaded(8192), '/api/show': {} });
  const path = join(live.place.home, 'models.json');
  writeFileSync(path, JSON.stringify({ models: [{ slug: 'qwen3', context_window: 50_000 }] }));
  await open(`model_catalog_json="${path}"`);
  await live.turn('hi');
  expect(windowOf(live)).toMatchObject({ 0: 50_000, 1: undefined });
  expect(asked.filter((url) => url.startsWith('/api'))).toEqual([]);
});

test('a provider that takes no pictures and one call at a time is asked so', async () => {
  const { live, open } = await threadAt('ollama', { '/api/ps': loaded(16_384), '/api/show': {} });
  await open('model_providers.ollama.server_capabilities={pictures=false,parallel_calls=false}');
  await live.turn('hi');
  const { body } = live.model.requests.at(-1)!;
  const tools = (body['tools'] as readonly JsonObject[]).map(({ name }) => name);
  expect([body['parallel_tool_calls'], tools.includes('view_image')]).toEqual([false, false]);
});

test('a server that says nothing about a model is waited for once', async () => {
  const { live, open, asked } = await threadAt('ollama', {}, 'strange');
  await open();
  await live.turn('hi');
  await live.close();
  const before = asked.length;
  await open();
  expect([asked.slice(before), live.notices]).toEqual([[], [expect.objectContaining({ code: 'model-unknown' })]]);
});

test('what one provider says of a model is not said of another one’s', async () => {
  const { live, open } = await threadAt('ollama', { '/api/ps': loaded(8192), '/api/show': {} });
  await open();
  await live.turn('hi');
  const listed = { '/v1/models': { data: [{ id: 'qwen3', max_model_len: 30_000 }] } };
  const { port } = await startLocalServer(['qwen3'], live.model, listed);
  await open(
    'model_provider="vllm"',
    `model_providers.vllm={base_url="http://127.0.0.1:${port}/v1",wire_api="responses"}`,
  );
  await live.turn('hi');
  expect(windowOf(live)).toMatchObject({ 0: 30_000 });
});

test('the configuration is shown with the window of the server', async () => {
  const { live, open, overrides } = await threadAt('ollama', { '/api/ps': loaded(8192), '/api/show': {} });
  await open();
  const flags = overrides.flatMap((each) => ['-c', each]);
  const shown = await live.place.run('config', 'show', '--origin', ...flags);
  expect(shown.stdout).toMatch(/model_context_window = 8192/);
});
