import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { eventFailure, stopFailure } from '../../src/adapters/model/anthropic/decode.ts';
import { errorFailure, finishMeaning } from '../../src/adapters/model/chat/decode.ts';
import { connectionFailure, cutFailure, idleFailure } from '../../src/adapters/model/http/failures/answer-failure.ts';
import {
  type FailureCauseRow,
  type FailureCause,
  failureCauses,
} from '../../src/adapters/model/http/failures/failure-causes.ts';
import { modelFailure, streamFailure } from '../../src/adapters/model/http/failures/model-failure.ts';
import { httpFailure } from '../../src/adapters/model/http/failures/http-failure.ts';
import type { ModelFailure } from '../../src/ports/model.ts';

const asked = { now: 0, api: 'Responses API' };
const http = (status: number, body: object | string, headers: Record<string, string> = {}): ModelFailure =>
  httpFailure({ status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) }, asked);
const error = (fields: object): object => ({ error: fields });
const ofAnthropic = (type: string, message: string): object => ({ type: 'error', error: { type, message } });
const finished = (reason: string): ModelFailure | undefined => {
  const meaning = finishMeaning(reason);
  return meaning.kind === 'whole' ? undefined : meaning.failure;
};

/** Bodies as servers send them, by who sends them. */
const cases: readonly (readonly [string, FailureCause, ModelFailure | undefined])[] = [
  [
    'OpenAI, HTTP',
    'overflow',
    http(
      400,
      error({
        message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
        type: 'invalid_request_error',
        param: 'input',
        code: 'context_length_exceeded',
      }),
    ),
  ],
  [
    'OpenAI, stream',
    'overflow',
    streamFailure({ code: 'context_length_exceeded', message: 'Your input exceeds the context window of this model.' }),
  ],
  [
    'Anthropic, HTTP',
    'overflow',
    http(400, ofAnthropic('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum')),
  ],
  [
    'Anthropic, too many bytes',
    'overflow',
    http(413, ofAnthropic('request_too_large', 'Request exceeds the maximum size')),
  ],
  [
    'Anthropic, stream',
    'overflow',
    eventFailure({
      type: 'invalid_request_error',
      message: 'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000',
    }),
  ],
  ['Anthropic, the answer', 'overflow', stopFailure('model_context_window_exceeded')],
  [
    'llama.cpp',
    'overflow',
    http(
      400,
      error({
        code: 400,
        message: 'the request exceeds the available context size, try increasing it',
        type: 'exceed_context_size_error',
        n_ctx: 4096,
      }),
    ),
  ],
  [
    'Gemini',
    'overflow',
    http(
      400,
      `[${JSON.stringify(error({ code: 400, message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', status: 'INVALID_ARGUMENT' }))}]`,
    ),
  ],
  [
    'OpenAI',
    'quota',
    http(
      429,
      error({
        message: 'You exceeded your current quota, please check your plan and billing details.',
        type: 'insufficient_quota',
        param: null,
        code: 'insufficient_quota',
      }),
    ),
  ],
  [
    'Anthropic',
    'quota',
    http(400, ofAnthropic('invalid_request_error', 'Your credit balance is too low to access the Anthropic API.')),
  ],
  ['Anthropic, 402', 'quota', http(402, ofAnthropic('billing_error', 'Payment required.'))],
  [
    'DeepSeek',
    'quota',
    http(402, error({ message: 'Insufficient Balance', type: 'unknown_error', code: 'invalid_request_error' })),
  ],
  ['OpenRouter, stream', 'quota', errorFailure({ code: 402, message: 'Insufficient credits' }, 'x')],
  [
    'ChatGPT',
    'usage-limit',
    http(
      429,
      error({
        type: 'usage_limit_reached',
        message: 'The usage limit has been reached',
        plan_type: 'plus',
        resets_at: 1_794_800_000,
      }),
    ),
  ],
  ['ChatGPT, no plan', 'plan', http(429, error({ type: 'usage_not_included', message: 'no' }))],
  [
    'OpenAI',
    'rate-limit',
    http(
      429,
      error({
        message: 'Rate limit reached for gpt-5.5. Please try again in 11.054s.',
        type: 'tokens',
        param: null,
        code: 'rate_limit_exceeded',
      }),
    ),
  ],
  [
    'OpenAI, stream',
    'rate-limit',
    streamFailure({ code: 'rate_limit_exceeded', message: 'Please try again in 28ms.' }),
  ],
  [
    'Anthropic',
    'rate-limit',
    http(429, ofAnthropic('rate_limit_error', 'This request would exceed your rate limit.'), { 'retry-after': '12' }),
  ],
  [
    'Groq',
    'rate-limit',
    http(429, error({ message: 'Rate limit reached', type: 'tokens', code: 'rate_limit_exceeded' }), {
      'retry-after': '2',
    }),
  ],
  ['OpenAI', 'overload', http(503, error({ code: 'server_is_overloaded', message: 'busy' }), { 'retry-after': '1' })],
  ['OpenAI, stream', 'overload', streamFailure({ code: 'slow_down', message: '' })],
  ['Anthropic', 'overload', http(529, ofAnthropic('overloaded_error', 'Overloaded'))],
  ['Anthropic, stream', 'overload', eventFailure({ type: 'overloaded_error', message: 'Overloaded' })],
  ['any', 'server', http(500, '')],
  ['nginx', 'server', http(502, '<html><head><title>502 Bad Gateway</title></head></html>')],
  ['Anthropic, stream', 'server', eventFailure({ type: 'api_error', message: 'Internal server error' })],
  ['DeepSeek, the answer', 'server', finished('insufficient_system_resource')],
  ['Chat, the answer', 'content-filter', finished('content_filter')],
  ['Chat, the answer', 'answer-length', finished('length')],
  ['Anthropic, the answer', 'answer-length', stopFailure('max_tokens')],
  ['Anthropic, the answer', 'policy', stopFailure('refusal')],
  ['OpenAI', 'policy', http(400, error({ code: 'cyber_policy', message: '' }))],
  ['OpenAI', 'prompt', http(400, error({ code: 'invalid_prompt', message: 'no' }))],
  [
    'OpenAI',
    'key',
    http(
      401,
      error({ message: 'Incorrect API key provided.', type: 'invalid_request_error', code: 'invalid_api_key' }),
    ),
  ],
  ['Anthropic', 'key', http(401, ofAnthropic('authentication_error', 'invalid x-api-key'))],
  ['Capstan', 'no-key', modelFailure({ cause: 'no-key', message: 'There is no key for OpenAI.' })],
  ['Anthropic', 'forbidden', http(403, ofAnthropic('permission_error', 'no'))],
  [
    'OpenAI',
    'not-found',
    http(
      404,
      error({ message: 'The model `x` does not exist', type: 'invalid_request_error', code: 'model_not_found' }),
    ),
  ],
  ['Anthropic', 'not-found', http(404, ofAnthropic('not_found_error', 'model: x'))],
  [
    'OpenAI',
    'request',
    http(400, error({ message: "Unsupported parameter: 'x'", param: 'x', code: 'unsupported_parameter' })),
  ],
  ['a redirect', 'request', http(302, '')],
  ['no server', 'connection', connectionFailure({ shown: 'x', setting: 'y' }, 'ECONNREFUSED')],
  ['a bad certificate', 'refused', connectionFailure({ shown: 'x', setting: 'y' }, 'CERT_HAS_EXPIRED')],
  ['a lost connection', 'cut', cutFailure('ECONNRESET')],
  ['silence', 'idle', idleFailure(1000)],
];

test.each(cases)('%s: %s', (_, cause, failure) => {
  const row: FailureCauseRow = failureCauses[cause];
  expect([failure?.cause, failure?.code]).toEqual([cause, row.code]);
  expect(failure?.retry === 'never').toBe(row.retry === 'never');
  expect([failure?.message, failure?.next].every((text) => (text ?? '') !== '')).toBe(true);
});

describe('the waits that servers ask for', () => {
  test.each<[string, ModelFailure, number]>([
    ['a header in seconds', http(429, '', { 'retry-after': '3' }), 3000],
    ['a header in milliseconds', http(429, '', { 'retry-after-ms': '40' }), 40],
    ['an overload', http(503, error({ code: 'server_is_overloaded' }), { 'retry-after': '1' }), 1000],
    ['a broken server', http(502, '', { 'retry-after': '2' }), 2000],
    ['words', http(429, error({ message: 'Please try again in 35 seconds.' })), 35_000],
    ['at most a minute', http(429, '', { 'retry-after': '600' }), 60_000],
  ])('%s', (_, { retry }, afterMs) => {
    expect(retry).toMatchObject({ afterMs });
  });
});

it('every cause that a provider can show has a case, and every row can be read', () => {
  const seen = new Set(cases.map(([, cause]) => cause));
  const others = ['ended-early', 'unreadable', 'too-large', 'wire-format', 'aborted'];
  expect(Object.keys(failureCauses).filter((cause) => !seen.has(cause as FailureCause))).toEqual(others);
});

it('docs/providers.md has the same table', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/providers.md'), 'utf8');
  const rows = (Object.entries(failureCauses) as readonly (readonly [string, FailureCauseRow])[]).map(
    ([cause, { code, retry, waits, another, next }]) => {
      const retried = retry === 'never' ? 'no' : waits === 'no' ? 'yes' : 'yes, as asked';
      return `| ${cause} | \`${code}\` | ${retried} | ${another === 'no' ? 'no' : 'yes'} | ${next} |`;
    },
  );
  // Only the page says how a provider shows a cause.
  const listed = page
    .split('\n')
    .flatMap((line) => /^(\| [a-z-]+ \| `[a-z-]+` \|) [^|]+ \|(.*)$/.exec(line)?.slice(1).join('') ?? []);
  expect(listed).toEqual(rows);
});
