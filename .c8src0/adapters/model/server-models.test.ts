import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { builtInProviders } from '../../core/config/providers/built-in-providers.ts';
import { commonCapabilities, type ServerCapabilities } from '../../core/config/providers/server-capabilities.ts';
import type { Json } from '../../protocol/json.ts';
import { type AskServer, askServerModels, createServerQuestions } from './server-models.ts';
import { createSender } from './http/network/exchange.ts';

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

type Pages = Readonly<Record<string, Json | string>>;

/** A server that has these pages, and what it was asked: methods, paths, bodies. */
async function serve(pages: Pages, etag?: string) {
  const asked: string[] = [];
  const server = createServer((incoming, answer) => {
    let body = '';
    incoming.on('data', (part: Buffer) => (body += part.toString()));
    incoming.on('end', () => {
      asked.push(`${incoming.method} ${incoming.url}${body === '' ? '' : ` ${body}`}`);
      const page = pages[incoming.url ?? ''];
      if (etag !== undefined && incoming.headers['if-none-match'] === etag) return answer.writeHead(304).end();
      if (page === undefined) return answer.writeHead(404).end('404 page not found');
      if (etag !== undefined) answer.setHeader('etag', etag);
      return answer.end(typeof page === 'string' ? page : JSON.stringify(page));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

const ask = createServerQuestions(createSender({ environment: {} }));

async function found(
  windowFrom: ServerCapabilities['windowFrom'],
  pages: Pages,
  { model, etag, known }: { model?: string; etag?: string; known?: string } = {},
) {
  const { baseUrl, asked } = await serve(pages, etag);
  const provider = { baseUrl, queryParams: {}, capabilities: { ...commonCapabilities, windowFrom } };
  const more = { ...(model !== undefined && { model }), ...(known !== undefined && { etag: known }) };
  const answer = await askServerModels(ask, { provider, headers: {}, timeoutMs: 2000, ...more });
  return { answer, asked };
}

const qwen = {
  model_info: { 'general.architecture': 'qwen3', 'qwen3.context_length': 262_144 },
  parameters: 'stop "<|im_end|>"\ntemperature 0.7',
  capabilities: ['completion', 'tools', 'vision'],
};

test('ollama: the window of a model that is loaded', async () => {
  const pages = {
    '/api/ps': { models: [{ name: 'qwen3:latest', model: 'qwen3:latest', context_length: 8192 }] },
    '/api/show': qwen,
  };
  expect(await found('ollama', pages, { model: 'qwen3' })).toEqual({
    answer: {
      kind: 'models',
      models: [{ slug: 'qwen3', contextWindow: 8192, pictures: true, source: 'ollama /api/ps' }],
    },
    asked: expect.arrayContaining(['GET /api/ps', 'POST /api/show {"model":"qwen3"}']),
  });
});

test.each<[string, Pages, object]>([
  [
    'a window that its file sets',
    { '/api/ps': { models: [] }, '/api/show': { ...qwen, parameters: 'num_ctx                        16384' } },
    { contextWindow: 16_384, pictures: true, source: 'ollama /api/show, num_ctx' },
  ],
  [
    'a window that is not known before it is loaded',
    { '/api/ps': { models: [] }, '/api/show': qwen },
    { contextWindow: 32_768, source: expect.stringContaining('not loaded yet') },
  ],
  [
    'a small one, which it cannot exceed',
    { '/api/ps': {}, '/api/show': { model_info: { 'gemma.context_length': 8192 } } },
    { contextWindow: 8192 },
  ],
])('ollama: %s', async (_, pages, expected) => {
  expect((await found('ollama', pages, { model: 'qwen3' })).answer).toMatchObject({
    models: [{ slug: 'qwen3', ...expected }],
  });
});

test.each([
  ['line breaks', '\n'],
  ['blanks', ' '],
  ['digits', 'num_ctx 1'],
])('ollama: parameters of nothing but %s are read', async (_, part) => {
  const parameters = `${part.repeat(500_000)}x`;
  const { answer } = await found('ollama', { '/api/ps': {}, '/api/show': { ...qwen, parameters } }, { model: 'qwen3' });
  expect(answer.kind).toBe('models');
});

test('lmstudio: the window as it is loaded, else the largest', async () => {
  const data = [
    { id: 'qwen3', type: 'llm', state: 'loaded', max_context_length: 131_072, loaded_context_length: 4096 },
    { id: 'gemma', type: 'vlm', state: 'not-loaded', max_context_length: 32_768 },
    { id: 'embed', type: 'embeddings', max_context_length: 512 },
  ];
  const { answer, asked } = await found('lmstudio', { '/api/v0/models': { data } }, { model: 'qwen3' });
  const source = 'lmstudio /api/v0/models';
  expect([answer, asked]).toEqual([
    {
      kind: 'models',
      models: [
        { slug: 'qwen3', contextWindow: 4096, pictures: false, source },
        { slug: 'gemma', contextWindow: 32_768, pictures: true, source },
      ],
    },
    ['GET /api/v0/models'],
  ]);
});

test('llama.cpp: the window of its one model, whatever that is called', async () => {
  const props = { default_generation_settings: { n_ctx: 65_536 }, total_slots: 1, modalities: { vision: false } };
  expect((await found('llama.cpp', { '/props': props }, { model: 'mine' })).answer).toEqual({
    kind: 'models',
    models: [{ slug: 'mine', contextWindow: 65_536, pictures: false, source: 'llama.cpp /props' }],
  });
});

test.each<[string, Json, readonly object[]]>([
  ['vLLM', { data: [{ id: 'q', max_model_len: 40_960 }] }, [{ slug: 'q', contextWindow: 40_960 }]],
  [
    'OpenRouter',
    {
      data: [
        {
          id: 'a/b',
          context_length: 262_144,
          architecture: { input_modalities: ['text', 'image'] },
          top_provider: { max_completion_tokens: 16_384 },
        },
      ],
    },
    [{ slug: 'a/b', contextWindow: 262_144, maxOutputTokens: 16_384, pictures: true }],
  ],
  ['OpenAI and Gemini', { data: [{ id: 'gpt-5.5', object: 'model' }] }, [{ slug: 'gpt-5.5' }]],
  [
    'a catalogue',
    { models: [{ slug: 'gpt-9', context_window: 500_000, base_instructions: 'Obey.', model_messages: {} }] },
    [{ slug: 'gpt-9', contextWindow: 500_000, record: { slug: 'gpt-9', context_window: 500_000 } }],
  ],
  ['nothing in the place of the list', { data: null }, []],
])('the list of %s', async (_, page, models) => {
  const { answer } = await found('list', { '/v1/models': page });
  const source = 'the server’s list of models';
  expect(answer).toEqual({ kind: 'models', models: models.map((model) => ({ ...model, source })) });
});

test('a list that did not change is not sent again', async () => {
  const pages = { '/v1/models': { data: [{ id: 'a' }] } };
  expect((await found('list', pages, { etag: '"1"' })).answer).toMatchObject({ kind: 'models', etag: '"1"' });
  expect((await found('list', pages, { etag: '"1"', known: '"1"' })).answer).toEqual({ kind: 'unchanged' });
});

test.each<[string, Pages]>([
  ['no page', {}],
  ['no JSON', { '/v1/models': '<html>' }],
  ['another object', { '/v1/models': { items: [] } }],
])('%s: nothing is known', async (_, pages) => {
  for (const windowFrom of ['ollama', 'lmstudio', 'llama.cpp', 'list'] as const) {
    expect((await found(windowFrom, pages, { model: 'm' })).answer).toEqual({
      kind: 'unknown',
      why: {
        message: expect.stringMatching(/ answered with status (200|404) and no list\.$/),
        next: expect.any(String),
      },
    });
  }
});

test('a server that does not answer costs the time limit and no more', async () => {
  const server = createServer(() => {});
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const provider = { baseUrl, queryParams: {}, capabilities: { ...commonCapabilities, windowFrom: 'ollama' as const } };
  expect(await askServerModels(ask, { provider, headers: {}, model: 'm', timeoutMs: 50 })).toEqual({
    kind: 'unknown',
    why: { message: `${new URL(baseUrl).origin} gave no answer within 0.05 seconds.`, next: expect.any(String) },
  });
});

test('whatever a server says, names are printable and windows are whole numbers above zero', async () => {
  const sources = ['ollama', 'lmstudio', 'llama.cpp', 'list'] as const;
  const keys = fc.constantFrom(
    'id slug name model models data context_length n_ctx parameters model_info default_generation_settings'.split(' '),
  );
  const names = keys.chain((all) => fc.constantFrom(...all));
  const { page } = fc.letrec<{ page: Json }>((tie) => ({
    page: fc.oneof(
      { maxDepth: 4 },
      fc.integer(),
      fc.double(),
      fc.string(),
      fc.constant(null),
      fc.array(tie('page'), { maxLength: 4 }),
      fc.dictionary(names, tie('page'), { maxKeys: 5 }) as fc.Arbitrary<Json>,
    ),
  }));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...sources), page, fc.option(fc.string()), async (windowFrom, json, model) => {
      const says: AskServer = () => Promise.resolve({ kind: 'answer', status: 200, text: JSON.stringify(json) });
      const provider = { baseUrl: 'http://x/v1', queryParams: {}, capabilities: { ...commonCapabilities, windowFrom } };
      const more = model === null ? {} : { model };
      const answer = await askServerModels(says, { provider, headers: {}, timeoutMs: 1, ...more });
      const models = answer.kind === 'models' ? answer.models : [];
      expect(
        models.filter(({ contextWindow = 1 }) => !Number.isSafeInteger(contextWindow) || contextWindow < 1),
      ).toEqual([]);
      expect(models.filter(({ slug }) => slug !== model && /\p{Cc}/u.test(slug))).toEqual([]);
    }),
  );
});

test('every built-in provider says where its windows are read', () => {
  const from = Object.entries(builtInProviders).map(([id, { capabilities }]) => [
    id,
    { ...commonCapabilities, ...capabilities }.windowFrom,
  ]);
  expect(Object.fromEntries(from)).toEqual({
    openai: 'list',
    anthropic: 'list',
    openrouter: 'list',
    azure: 'list',
    gemini: 'list',
    ollama: 'ollama',
    lmstudio: 'lmstudio',
    'llama.cpp': 'llama.cpp',
    vllm: 'list',
  });
});

test('what a server sends back of the question is not kept', async () => {
  const secrets = ['sk-secret-of-the-user'];
  const ofServer = async (etag: string) => {
    const models = [
      { slug: 'good', context_window: 8192 },
      { slug: 'sk-secret-of-the-user' },
      { slug: 'x', more: secrets },
    ];
    const { baseUrl } = await serve({ '/v1/models': { models } }, etag);
    const provider = { baseUrl, queryParams: {}, capabilities: commonCapabilities };
    return askServerModels(ask, { provider, headers: {}, secrets, timeoutMs: 2000 });
  };
  const sound = await ofServer('W/"abc-1"');
  expect(sound).toMatchObject({ etag: 'W/"abc-1"', models: [{ slug: 'good' }] });
  for (const etag of ['"sk-secret-of-the-user"', 'unquoted', `"${'x'.repeat(500)}"`]) {
    expect(await ofServer(etag)).not.toHaveProperty('etag');
  }
});

test('whole records keep to bounds', async () => {
  const { answer } = await found('list', {
    '/v1/models': {
      models: [
        {
          slug: 'odd',
          context_window: 1,
          comp_hash: 'x'.repeat(1000),
          supported_reasoning_levels: Array(100_000).fill('low'),
          truncation_policy: { mode: 'tokens', limit: 0 },
          input_modalities: ['text'],
        },
        { slug: 'large', description: 'x'.repeat(50_000), context_window: 8192 },
        { slug: 'good', context_window: 8192, truncation_policy: { mode: 'bytes', limit: 10_000 } },
      ],
    },
  });
  const source = 'the server’s list of models';
  expect(answer).toEqual({
    kind: 'models',
    models: [
      { slug: 'odd', source, record: { slug: 'odd', input_modalities: ['text'] } },
      { slug: 'large', source, contextWindow: 8192 },
      {
        slug: 'good',
        source,
        contextWindow: 8192,
        record: { slug: 'good', context_window: 8192, truncation_policy: { mode: 'bytes', limit: 10_000 } },
      },
    ],
  });
});
