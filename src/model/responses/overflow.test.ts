import { defaultAnswerLimits } from '../../config/defaults.ts';
import { describe, expect, test } from 'vitest';
import { responsesDecoder } from './decode.ts';
import { httpFailure } from './http-failure.ts';

const codes = [
  'context_length_exceeded',
  'context_window_exceeded',
  'model_context_window_exceeded',
  'exceed_context_size_error',
  'model_max_prompt_tokens_exceeded',
];

/** What servers say that have no code for it. */
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

/** What is near it and is something else. */
const others = [
  'Request too large for gpt-5.5: Limit 30000 tokens per min, requested 40000.',
  'Too many tokens, please wait before trying again.',
  "Invalid 'input[3].call_id': string too long. Expected a string with maximum length 64.",
  'The model does not exist.',
  'There was no context in the request.',
];

const streamed = (events: readonly object[]): string => {
  const decoder = responsesDecoder(defaultAnswerLimits);
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  const cause = { code: 'stream-cut', message: '', next: '', retry: 'never' } as const;
  const last = [...decoder.push(Buffer.from(text)), ...decoder.end(() => cause)].at(-1);
  return last?.kind === 'failed' ? last.failure.code : String(last?.kind);
};
const answered = (status: number, body: object | string): string =>
  httpFailure({ status, headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) }, 0).code;

const exceeded = 'context-window-exceeded';

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

  test('is what a refusal of the size means, whoever says it', () => {
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
