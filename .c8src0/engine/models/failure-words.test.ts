import { expect, it } from 'vitest';
import { modelFailure } from '../../adapters/model/http/failures/model-failure.ts';
import { httpFailure } from '../../adapters/model/http/failures/http-failure.ts';
import { connectionFailure, cutFailure } from '../../adapters/model/http/failures/answer-failure.ts';
import { failureWords } from './failure-words.ts';

const now = 1_800_000_000_000;
const refused = (status: number, error: object, headers = {}) =>
  failureWords(httpFailure({ status, headers, body: JSON.stringify({ error }) }, { now, api: 'Responses API' }), now);

it.each([
  [
    400,
    { message: "Invalid value: 'x'." },
    'The provider does not accept this request (status 400).',
    "Invalid value: 'x'.",
  ],
  [401, { message: 'Incorrect API key.' }, 'The provider does not accept the key (status 401).', 'Incorrect API key.'],
  [
    403,
    { message: 'Country not supported' },
    'The provider does not allow this (status 403).',
    'Country not supported',
  ],
  [
    404,
    { message: 'The model `gpt-9` does not exist.', code: 'model_not_found' },
    'The provider does not have this model or address (status 404).',
    'The model `gpt-9` does not exist.',
  ],
  [500, { message: 'Oops.' }, 'The provider reported an error (status 500).', 'Oops.'],
  [503, {}, 'The provider reported an error (status 503).', '{"error":{}}'],
  [
    400,
    { message: 'too long', code: 'context_length_exceeded' },
    'The conversation no longer fits the context window of the model (status 400).',
    'too long',
  ],
])('%i is said in our words, with those of the provider behind them', (status, error, what, said) => {
  const words = refused(status, error);
  expect(words).toMatchObject({ what, said, isConnection: false });
  expect(words.next).not.toBe('');
  expect(words.opensAt).toBeUndefined();
});

it('says when a limit opens again', () => {
  const error = { message: 'Rate limit reached.', code: 'rate_limit_exceeded' };
  expect(refused(429, error, { 'retry-after': '90' })).toMatchObject({
    what: 'The provider received too many requests or tokens in a short time (status 429).',
    opensAt: now + 90_000,
  });
  const spent = {
    message: 'The usage limit has been reached',
    type: 'usage_limit_reached',
    resets_at: now / 1000 + 3600,
  };
  expect(refused(429, spent)).toMatchObject({
    what: 'This account has reached its usage limit (status 429).',
    said: 'The usage limit has been reached.',
    isLasting: true,
    opensAt: now + 3_600_000,
  });
});

it('names the host where no answer came', () => {
  const failure = connectionFailure({ shown: 'https://x.org', setting: 'the base URL' }, 'ECONNREFUSED');
  expect(failureWords(failure, now)).toEqual({
    what: failure.message,
    next: failure.next,
    isConnection: true,
    isLasting: false,
  });
  expect(failureWords(cutFailure('ECONNRESET'), now)).toMatchObject({ isConnection: true });
});

it('does not say that the provider refused what a proxy may have refused', () => {
  const proxy = {
    kind: 'proxy',
    variable: 'HTTP_PROXY',
    protocol: 'http:',
    host: 'p',
    port: '',
    origin: 'http://p',
  } as const;
  const place = { now, api: 'Responses API', proxy: { ...proxy, authorization: undefined } };
  const failure = httpFailure({ status: 403, headers: {}, body: 'Access denied' }, place);
  expect(failureWords(failure, now)).toMatchObject({
    what: 'An answer with status 403 came through http://p (the proxy in HTTP_PROXY), which may have given it.',
    said: 'Access denied',
  });
});

it('leaves alone what no provider said', () => {
  const outcome = { code: 'internal-error', message: 'Internal error.', next: 'Report it.' };
  expect(failureWords(outcome, now)).toEqual({
    what: 'Internal error.',
    next: 'Report it.',
    isConnection: false,
    isLasting: false,
  });
});

it('does not say that a provider refused a key that is missing', () => {
  const failure = modelFailure({ cause: 'no-key', message: 'There is no key for OpenAI.', next: 'Sign in.' });
  expect(failureWords(failure, now)).toEqual({
    what: 'There is no key for OpenAI.',
    next: 'Sign in.',
    isConnection: false,
    isLasting: true,
  });
});
