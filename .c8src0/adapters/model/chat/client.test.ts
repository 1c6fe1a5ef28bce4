import { afterEach, describe, expect, test } from 'vitest';
import { providerDefaults } from '../../../core/config/providers/provider-config.ts';
import type { ModelClient, ModelEvent, ModelRequest } from '../../../ports/model.ts';
import {
  answer,
  callTool,
  cutAfter,
  hang,
  httpError,
  incomplete,
  malformed,
  reason,
  say,
  type Script,
  type ScriptedModel,
  startScriptedModel,
} from '../../../testing/index.ts';
import type { ProviderOptions } from '../http/credentials-and-headers.ts';
import { joinedDeltas } from '../http/answer-decoder.ts';
import { chatFormat } from './client.ts';

const never = new AbortController().signal;
const request: ModelRequest = { body: [Buffer.from('{"model":"m"}')], headers: { 'thread-id': 't1' } };
const usage = { input: 100, cachedInput: 20, cacheWriteInput: 0, output: 10, reasoningOutput: 3, total: 110 };
const hello = answer({ items: [say('Hello there.')], deltas: true });
const helloEvents: readonly ModelEvent[] = [
  { kind: 'created', responseId: 'chatcmpl_1' },
  { kind: 'text-delta', itemId: '', delta: 'Hello there.' },
  {
    kind: 'item',
    item: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello there.' }] },
  },
  { kind: 'completed', responseId: 'chatcmpl_1', usage },
];

const opened: ScriptedModel[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((model) => model.close()));
});

async function start(script: Script): Promise<ScriptedModel> {
  const model = await startScriptedModel(script);
  opened.push(model);
  return model;
}

function clientFor(baseUrl: string, provider: Partial<ProviderOptions> = {}): ModelClient {
  return chatFormat.client({
    credentials: () => Promise.resolve({ kind: 'bearer', mode: 'api-key', token: 'sk-secret' }),
    environment: {},
    clock: { now: () => 0, sleep: () => Promise.resolve() },
    random: () => 0.5,
    provider: { ...providerDefaults, id: 'p', name: 'Some Place', baseUrl, ...provider },
  });
}

async function collect(events: AsyncIterable<ModelEvent>): Promise<readonly ModelEvent[]> {
  const all: ModelEvent[] = [];
  for await (const event of events) all.push(event);
  return joinedDeltas(all);
}

const play = async (script: Script, provider: Partial<ProviderOptions> = {}): Promise<readonly ModelEvent[]> =>
  collect(clientFor((await start(script)).url, provider).stream(request, never));

test('posts to the endpoint below the base URL, with the key', async () => {
  const model = await start([hello]);
  expect(await collect(clientFor(`${model.url}/`, { queryParams: { v: '1' } }).stream(request, never))).toEqual(
    helloEvents,
  );
  const [recorded] = model.requests;
  expect(recorded?.path).toMatch(/\/v1\/chat\/completions\?v=1$/);
  expect(recorded?.headers).toMatchObject({ authorization: 'Bearer sk-secret', 'thread-id': 't1' });
});

test.each([1, 2, 7, 64])('reads an answer in pieces of %i bytes', async (chunkBytes) => {
  expect(await play([{ ...hello, chunkBytes }])).toEqual(helloEvents);
});

test('reads thoughts, calls and an answer without counts', async () => {
  const items = [reason('Think.'), callTool('look', { path: 'ä' }), callTool('look', '{broken', 'call_x')];
  expect(await play([answer({ items, deltas: true, usage: 'none' })])).toEqual([
    { kind: 'created', responseId: 'chatcmpl_1' },
    { kind: 'reasoning-delta', itemId: '', part: 0, delta: 'Think.' },
    { kind: 'item', item: { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Think.' }] } },
    { kind: 'item', item: callTool('look', { path: 'ä' }, 'call_1') },
    { kind: 'item', item: callTool('look', '{broken', 'call_x') },
    { kind: 'completed', responseId: 'chatcmpl_1' },
  ]);
});

test('is done with the counts, although the server does not end the stream', async () => {
  const model = await start([hang({ afterBytes: 100_000, of: hello })]);
  expect(await collect(clientFor(model.url).stream(request, never))).toEqual(helloEvents);
});

describe('fails by name', () => {
  test.each<[string, Script, readonly unknown[]]>([
    ['cut', () => cutAfter({ bytes: 400, of: answer({ items: [callTool('look', {})] }) }), ['stream-cut', {}]],
    ['an event that cannot be read', () => malformed({ of: hello }), ['server-error', {}]],
    ['too long', () => incomplete({ reason: 'max_output_tokens', items: [say('So')] }), ['incomplete', 'never']],
    ['filtered', () => incomplete({ reason: 'content_filter' }), ['incomplete', 'never']],
    ['no key', () => httpError({ status: 401, body: { error: { message: 'Who?' } } }), ['unauthorized', 'never']],
    [
      'no such model',
      () => httpError({ status: 404, body: { error: { message: 'No model.' } } }),
      ['invalid-request', 'never'],
    ],
    [
      'no money',
      () => httpError({ status: 429, body: { error: { code: 'insufficient_quota', message: 'x' } } }),
      ['usage-limit', 'never'],
    ],
    [
      'busy',
      () => httpError({ status: 429, headers: { 'retry-after': '7' }, body: {} }),
      ['rate-limited', { afterMs: 7000 }],
    ],
    ['overloaded', () => httpError({ status: 503, body: { error: { message: 'Later.' } } }), ['server-error', {}]],
  ])('%s', async (_, script, expected) => {
    const last = (await play(script, { requestMaxRetries: 0 })).at(-1);
    expect(last?.kind === 'failed' && [last.failure.code, last.failure.retry]).toEqual(expected);
  });

  test.each<[string, number, unknown, number | undefined]>([
    [
      'OpenAI',
      400,
      {
        error: {
          message: "This model's maximum context length is 8192 tokens.",
          type: 'invalid_request_error',
          param: 'messages',
          code: 'context_length_exceeded',
        },
      },
      8192,
    ],
    [
      'Azure',
      400,
      {
        error: {
          message: "This model's maximum context length is 16385 tokens, however you requested 17012 tokens.",
          code: 'context_length_exceeded',
        },
      },
      16_385,
    ],
    [
      'OpenRouter',
      400,
      { error: { message: "This endpoint's maximum context length is 65536 tokens.", code: 400 } },
      65_536,
    ],
    [
      'OpenRouter, of the server behind it',
      400,
      {
        error: {
          message: 'Provider returned error',
          code: 400,
          metadata: {
            provider_name: 'X',
            raw: '{"error":{"message":"The prompt is too long: 140000, model maximum context length: 131072"}}',
          },
        },
      },
      131_072,
    ],
    [
      'vLLM',
      400,
      {
        object: 'error',
        message: "This model's maximum context length is 4096 tokens.",
        type: 'BadRequestError',
        param: null,
        code: 400,
      },
      4096,
    ],
    [
      'llama.cpp',
      400,
      {
        error: {
          code: 400,
          message: 'request (9412 tokens) exceeds the available context size (4096 tokens), try increasing it',
          type: 'exceed_context_size_error',
        },
      },
      4096,
    ],
    [
      'llama.cpp, older',
      500,
      {
        error: {
          code: 500,
          message: 'the request exceeds the available context size, try increasing it',
          type: 'server_error',
        },
      },
      undefined,
    ],
    [
      'Ollama',
      400,
      {
        error: {
          message: 'input length exceeds the context length',
          type: 'invalid_request_error',
          param: null,
          code: null,
        },
      },
      undefined,
    ],
    [
      'LM Studio',
      400,
      {
        error:
          'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096).',
      },
      4096,
    ],
    [
      'Gemini',
      400,
      [
        {
          error: {
            code: 400,
            message: 'The input token count (317740) exceeds the maximum number of tokens allowed (131072).',
            status: 'INVALID_ARGUMENT',
          },
        },
      ],
      131_072,
    ],
  ])('too long, in the words of %s', async (_, status, body, window) => {
    const step = httpError({ status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
    const last = (await play(() => step, { requestMaxRetries: 0 })).at(-1);
    expect(last).toMatchObject({ kind: 'failed', failure: { code: 'context-window-exceeded', retry: 'never' } });
    expect(last?.kind === 'failed' && last.failure.window).toBe(window);
    expect(last?.kind === 'failed' && last.failure.message).not.toMatch(/^The provider answered with status \d+: [[{]/);
  });
});
