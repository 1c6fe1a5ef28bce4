import { expect, test } from 'vitest';
import type { JsonObject } from '../../../protocol/json.ts';
import { errorFailure, finishMeaning, reportedError } from './decode.ts';

test.each<[string, JsonObject, string, unknown]>([
  ['OpenAI', { error: { message: 'The server had an error', type: 'server_error', code: null } }, 'server-error', {}],
  ['a code that is known', { error: { message: 'x', code: 'insufficient_quota' } }, 'usage-limit', 'never'],
  [
    'OpenRouter',
    { id: 'c1', error: { code: 429, message: 'Rate limited' }, choices: [{ delta: {}, finish_reason: 'error' }] },
    'rate-limited',
    {},
  ],
  ['OpenRouter, no more credits', { error: { code: 402, message: 'Insufficient credits' } }, 'usage-limit', 'never'],
  [
    'vLLM',
    {
      error: {
        object: 'error',
        type: 'BadRequestError',
        code: 400,
        message: "This model's maximum context length is 8192 tokens.",
      },
    },
    'context-window-exceeded',
    'never',
  ],
  [
    'an older vLLM',
    { object: 'error', type: 'BadRequestError', code: 400, message: 'No such thing.' },
    'invalid-request',
    'never',
  ],
  [
    'llama.cpp',
    {
      error: {
        code: 400,
        message: 'the request exceeds the available context size.',
        type: 'exceed_context_size_error',
        n_ctx: 4096,
      },
    },
    'context-window-exceeded',
    'never',
  ],
  [
    'llama.cpp, a fault',
    { error: { code: 500, message: 'Failed to decode', type: 'server_error' } },
    'server-error',
    {},
  ],
  ['Ollama', { error: 'model runner has unexpectedly stopped' }, 'server-error', {}],
  [
    'Gemini',
    {
      error: {
        code: 400,
        message: 'The input token count (9) exceeds the maximum number of tokens allowed (8).',
        status: 'INVALID_ARGUMENT',
      },
    },
    'context-window-exceeded',
    'never',
  ],
  ['a code as a text', { error: { code: '503', message: 'Overloaded' } }, 'server-error', {}],
])('an error in the words of %s', (_, event, code, retry) => {
  const error = reportedError(event);
  expect(errorFailure(error!, 'Chat Completions API')).toMatchObject({ code, retry });
});

test('a chunk without an error reports none', () => {
  const chunks: readonly JsonObject[] = [{}, { error: null }, { choices: [] }, { object: 'chat.completion.chunk' }];
  expect(chunks.map(reportedError)).toEqual(chunks.map(() => undefined));
});

test.each([
  ['stop', 'whole'],
  ['tool_calls', 'whole'],
  ['eos', 'whole'],
  ['length', 'cut'],
  ['content_filter', 'lost'],
  ['sensitive', 'lost'],
  ['insufficient_system_resource', 'lost'],
  ['model_context_window_exceeded', 'lost'],
  ['constructor', 'whole'],
])('an answer that ends with %s is %s', (reason, kind) => {
  expect(finishMeaning(reason).kind).toBe(kind);
});
