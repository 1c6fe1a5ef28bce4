import { defaultAnswerLimits } from '../../../../core/config/defaults.ts';
import { describe, expect, test } from 'vitest';
import { answerDecoder } from '../answer-decoder.ts';
import { responsesReader } from '../../responses/decode.ts';
import { httpFailure } from './http-failure.ts';
import { findWindowSize } from './model-failure.ts';

const codes = [
  'context_length_exceeded',
  'context_window_exceeded',
  'model_context_window_exceeded',
  'exceed_context_size_error',
  'model_max_prompt_tokens_exceeded',
];

/** Messages of servers that have no code for it. */
const sentences = [
  "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
  'Your input exceeds the context window of this model.',
  'the request exceeds the available context size (4096 tokens)',
  'Requested tokens (700) exceed context window of 512',
  'The number of tokens to keep from the initial prompt is greater than the context length.',
  "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  'prompt is too long: 213462 tokens > 200000 maximum',
  'Input is too long for requested model.',
  'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
  'Input tokens exceed the configured limit of 272000 tokens.',
  'Please reduce the length of the messages or completion.',
  'Your request exceeded model token limit: 262144',
  'context window exceeds limit (2013)',
  'Context size has been exceeded.',
  'litellm.ContextWindowExceededError: too much',
];

/** The message of each server, and the window that it names. */
const servers: readonly [server: string, says: string, window?: number][] = [
  [
    'OpenAI',
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 130512 tokens.",
    128_000,
  ],
  ['OpenAI, Responses', 'Your input exceeds the context window of this model. Please adjust your input and try again.'],
  [
    'Azure',
    "This model's maximum context length is 16385 tokens, however you requested 17012 tokens (13012 in your prompt; 4000 for the completion).",
    16_385,
  ],
  ['Anthropic', 'prompt is too long: 213462 tokens > 200000 maximum', 200_000],
  [
    'Anthropic, with the answer',
    'input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and try again',
    200_000,
  ],
  ['Bedrock', 'Input is too long for requested model.'],
  ['Bedrock, Nova', 'Too many input tokens. Max input tokens: 128000', 128_000],
  ['Vertex', 'The prompt is too long: 1200000, model maximum context length: 1048576', 1_048_576],
  ['Gemini', 'The input token count (317740) exceeds the maximum number of tokens allowed (131072).', 131_072],
  [
    'Mistral',
    'Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    32_768,
  ],
  ['Groq', 'Please reduce the length of the messages or completion.'],
  [
    'Together',
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 8000 `inputs` tokens and 1024 `max_new_tokens`',
    8193,
  ],
  ['Fireworks', 'The prompt is too long: 140000, model maximum context length: 131072', 131_072],
  [
    'DeepSeek',
    "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
    131_072,
  ],
  ['DashScope', '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]', 98_304],
  [
    'OpenRouter',
    "This endpoint's maximum context length is 65536 tokens. However, you requested about 70115 tokens (66019 of text input, 4096 in the output).",
    65_536,
  ],
  ['Ollama', 'input length exceeds the context length'],
  [
    'LM Studio',
    'Trying to keep the first 14538 tokens when context the overflows. However, the model is loaded with context length of only 2048 tokens, which is not enough.',
    2048,
  ],
  [
    'LM Studio, newer',
    'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096).',
    4096,
  ],
  ['llama.cpp', 'the request exceeds the available context size, try increasing it'],
  [
    'llama.cpp, with numbers',
    'request (9412 tokens) exceeds the available context size (4096 tokens), try increasing it',
    4096,
  ],
  ['vLLM', 'The decoder prompt (length 21535) is longer than the maximum model length of 16384.', 16_384],
  ['vLLM, pictures', 'The prompt (total length 25938) is too long to fit into the model (context length 4096).', 4096],
  ['TGI', 'Input validation error: `inputs` must have less than 4096 tokens. Given: 5012', 4096],
  ['SGLang', "The input (40120 tokens) is longer than the model's context length (32768 tokens).", 32_768],
  ['SGLang, older', 'Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).', 59_862],
  ['xAI', "This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131_072],
  ['GitHub', 'prompt token count of 138112 exceeds the limit of 128000', 128_000],
  ['Moonshot', 'Invalid request: Your request exceeded model token limit: 262144', 262_144],
  ['MiniMax', 'invalid params, context window exceeds limit (2013)'],
];

/** Similar messages with another meaning. */
const others = [
  'Request too large for gpt-5.5: Limit 30000 tokens per min, requested 40000.',
  'Too many tokens, please wait before trying again.',
  "Invalid 'input[3].call_id': string too long. Expected a string with maximum length 64.",
  'The model does not exist.',
  'There was no context in the request.',
  'Rate limit reached: too many input tokens per minute.',
  'max_tokens is too large: 200000. This model supports at most 16384 completion tokens.',
  'Invalid schema for response_format: context is not allowed.',
];

const streamed = (events: readonly object[]): string => {
  const decoder = answerDecoder(defaultAnswerLimits, responsesReader(defaultAnswerLimits));
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  const cause = { code: 'stream-cut', message: '', next: '', retry: 'never' } as const;
  const last = [...decoder.push(Buffer.from(text)), ...decoder.end(() => cause)].at(-1);
  return last?.kind === 'failed' ? last.failure.code : String(last?.kind);
};
const answered = (status: number, body: object | string): string =>
  httpFailure(
    { status, headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) },
    { now: 0, api: 'API' },
  ).code;

const exceeded = 'context-window-exceeded';

test.each(servers)('%s: its words are understood, and the window that they name', (_, says, window) => {
  expect([answered(400, { error: { message: says } }), answered(500, { error: says })]).toEqual([exceeded, exceeded]);
  expect(findWindowSize(says)).toBe(window);
  expect(httpFailure({ status: 400, headers: {}, body: says }, { now: 0, api: 'API' }).window).toBe(window);
});

test('a limit that a server in front names in bytes is no window', () => {
  const body = 'Request Entity Too Large: the maximum is 1048576';
  const failure = httpFailure({ status: 413, headers: {}, body }, { now: 0, api: 'API' });
  expect([failure.code, failure.window]).toEqual([exceeded, undefined]);
});

describe('an overflow', () => {
  test.each(codes)('with the code %s is seen in every form', (code) => {
    expect([
      answered(400, { error: { code, message: 'Too long.' } }),
      answered(400, { error: { type: code, code: 400 } }),
      answered(400, { code, message: 'Too long.' }),
      answered(422, { error: { code } }),
      answered(500, { error: { code } }),
      answered(200, { error: { code } }),
      streamed([{ type: 'response.failed', response: { error: { code, message: 'Too long.' } } }]),
      streamed([{ type: 'response.failed', response: { error: { type: code } } }]),
      streamed([{ type: 'error', code, message: 'Too long.' }]),
      streamed([{ type: 'error', error: { code } }]),
      streamed([{ type: 'error', error: { type: code, code: 400 } }]),
      streamed([{ type: 'response.incomplete', response: { incomplete_details: { reason: code } } }]),
      streamed([{ type: 'response.incomplete', response: { error: { code } } }]),
    ]).toEqual(Array.from({ length: 13 }, () => exceeded));
  });

  test.each(sentences)('in words alone is seen in every form: %s', (message) => {
    expect([
      answered(400, { error: { message, type: 'invalid_request_error' } }),
      answered(400, { error: message }),
      answered(400, { detail: message }),
      answered(400, message),
      answered(422, { error: { message } }),
      answered(500, { error: { message } }),
      answered(200, { error: { message } }),
      streamed([{ type: 'response.failed', response: { error: { code: 'invalid_request_error', message } } }]),
      streamed([{ type: 'response.failed', response: { error: { message } } }]),
      streamed([{ type: 'error', message }]),
      streamed([{ type: 'response.incomplete', response: { error: { message } } }]),
    ]).toEqual(Array.from({ length: 11 }, () => exceeded));
  });

  test('is what a refusal of the size means, whatever server sends it', () => {
    expect(answered(413, '<html><title>Request Entity Too Large</title></html>')).toBe(exceeded);
  });

  test.each(others)('is not seen in other words: %s', (message) => {
    expect(answered(400, { error: { message } })).toBe('invalid-request');
    expect(streamed([{ type: 'response.failed', response: { error: { message } } }])).toBe('server-error');
  });

  test('is not seen where the status says something else', () => {
    const body = { error: { message: 'maximum context length' } };
    expect([401, 403, 404, 429].map((status) => answered(status, body))).toEqual([
      'unauthorized',
      'unauthorized',
      'invalid-request',
      'rate-limited',
    ]);
  });

  test('of the answer alone is none of the request', () => {
    const response = { incomplete_details: { reason: 'max_output_tokens' } };
    expect(streamed([{ type: 'response.incomplete', response }])).toBe('incomplete');
  });
});
