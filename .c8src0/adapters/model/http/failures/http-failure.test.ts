import { describe, expect, test } from 'vitest';
import { httpFailure } from './http-failure.ts';

const now = Date.UTC(2026, 0, 1);
const judged = (status: number, body: string | object, headers = {}): ReturnType<typeof httpFailure> =>
  httpFailure(
    { status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) },
    { now, api: 'Responses API' },
  );
const error = (fields: object): object => ({ error: fields });

describe('a status', () => {
  test.each([
    [400, error({ message: 'no such field' }), {}, 'invalid-request', 'never'],
    [400, error({ code: 'context_length_exceeded', message: 'long' }), {}, 'context-window-exceeded', 'never'],
    [413, error({ code: 'context_length_exceeded' }), {}, 'context-window-exceeded', 'never'],
    [
      400,
      error({ message: "This model's maximum context length is 8192 tokens." }),
      {},
      'context-window-exceeded',
      'never',
    ],
    [400, error({ code: 'cyber_policy', message: '' }), {}, 'policy', 'never'],
    [403, error({ code: 'misalignment_policy_violation', message: 'no' }), {}, 'policy', 'never'],
    [400, error({ code: 'invalid_prompt', message: 'no' }), {}, 'invalid-request', 'never'],
    [401, error({ message: 'bad key' }), {}, 'unauthorized', 'never'],
    [402, 'pay', {}, 'usage-limit', 'never'],
    [403, 'forbidden', {}, 'unauthorized', 'never'],
    [404, 'nothing here', {}, 'invalid-request', 'never'],
    [408, '', {}, 'server-error', {}],
    [422, { detail: 'odd' }, {}, 'invalid-request', 'never'],
    [429, error({ type: 'usage_limit_reached', message: 'full' }), {}, 'usage-limit', 'never'],
    [429, error({ type: 'usage_not_included', message: 'no plan' }), {}, 'usage-limit', 'never'],
    [429, error({ code: 'insufficient_quota', type: 'insufficient_quota' }), {}, 'usage-limit', 'never'],
    [429, error({ code: 'rate_limit_exceeded', message: 'try again in 28ms' }), {}, 'rate-limited', { afterMs: 28 }],
    [429, 'slow', { 'retry-after': '3' }, 'rate-limited', { afterMs: 3000 }],
    [
      429,
      error({ message: 'try again in 2s' }),
      { 'retry-after': '300' },
      'rate-limited',
      { afterMs: 60_000, askedMs: 300_000 },
    ],
    [429, '', {}, 'rate-limited', {}],
    [500, error({ code: 'invalid_prompt', message: 'confused proxy' }), {}, 'server-error', {}],
    [503, error({ code: 'server_is_overloaded' }), { 'retry-after': '1' }, 'overloaded', { afterMs: 1000 }],
    [503, error({ code: 'slow_down', message: 'x' }), {}, 'overloaded', {}],
    [503, '', {}, 'server-error', {}],
    [529, '', {}, 'overloaded', {}],
    [302, '', {}, 'invalid-request', 'never'],
    [200, '<html>', {}, 'invalid-request', 'never'],
  ])('%i %j %j', (status, body, headers, code, retry) => {
    const failure = judged(status, body, headers);
    expect([failure.code, failure.retry, failure.status]).toEqual([code, retry, status]);
    expect(failure.message).not.toBe('');
    expect(failure.next).not.toBe('');
  });
});

describe('the sentence for the person', () => {
  test('quotes the server, with the name of the request', () => {
    expect(judged(400, error({ message: 'no such field' }), { 'x-request-id': 'req_7' }).message).toBe(
      'The provider answered with status 400: no such field (request req_7)',
    );
    expect(judged(418, { error: 'teapot' }).message).toBe('The provider answered with status 418: teapot');
    expect(judged(500, '').message).toBe('The provider answered with status 500.');
  });

  test('quotes the title of a page and not its markup', () => {
    const page = (head: string): string => judged(502, `<!DOCTYPE html>\n<html>${head}<body>…</body></html>`).message;
    expect(page('<head><title>\n Bad\n gateway </title></head>')).toBe(
      'The provider answered with status 502: a web page, "Bad gateway"',
    );
    expect(page('')).toBe('The provider answered with status 502: a web page');
  });

  test('says when a limit resets', () => {
    const body = error({ type: 'usage_limit_reached', message: 'The limit is reached.', resets_at: now / 1000 });
    expect(judged(429, body).message).toBe(
      'The provider answered with status 429: The limit is reached. It resets at 2026-01-01T00:00:00.000Z.',
    );
  });

  test('says so where only the headers have the time, of the windows that are used up', () => {
    const header = (window: string, percent: number, at: number) => ({
      [`x-codex-${window}-used-percent`]: String(percent),
      [`x-codex-${window}-window-minutes`]: '300',
      [`x-codex-${window}-reset-at`]: String(now / 1000 + at),
    });
    const body = error({ type: 'usage_limit_reached', message: 'The limit is reached.' });
    const failure = judged(429, body, { ...header('primary', 100, 60), ...header('secondary', 40, 9000) });
    expect([failure.message, failure.resetsAt]).toEqual([
      'The provider answered with status 429: The limit is reached. It resets at 2026-01-01T00:01:00.000Z.',
      now + 60_000,
    ]);
    expect(judged(429, body, header('primary', 40, 60)).resetsAt).toBeUndefined();
  });

  test('is short even when the body is not', () => {
    expect(Buffer.byteLength(judged(400, 'ä'.repeat(40_000)).message)).toBeLessThan(1100);
  });

  test('says where a redirect leads, but not its path and query', () => {
    const to = (location: string): string =>
      httpFailure({ status: 307, headers: { location }, body: '' }, { now, api: 'API', origin: 'http://own:8000' })
        .message;
    const opening = 'The provider answered with status 307';
    expect(to('https://a:b@login.example.com/x?token=y')).toBe(`${opening}: it redirects to https://login.example.com`);
    expect(to('/v2')).toBe(`${opening}: it redirects to http://own:8000`);
    expect(to('https://\u202eb.example/')).toBe(`${opening}.`);
    expect(to('javascript:alert(1)')).toBe(`${opening}.`);
  });

  test('advises by what the body says', () => {
    expect(judged(400, error({ message: 'The image data you provided does not represent a valid image.' })).next).toBe(
      'Remove the image from the conversation, then try again.',
    );
    const keyAdvice = 'Capstan sent no key.';
    const refusedKey = (status: number, body: string) =>
      httpFailure({ status, headers: {}, body }, { now, api: 'Responses API', keyAdvice }).next;
    expect([refusedKey(401, ''), refusedKey(403, '')]).toEqual([keyAdvice, keyAdvice]);
    expect(refusedKey(403, '<html>Cloudflare: you have been blocked</html>')).toContain('firewall');
    expect(judged(403, '<html>Cloudflare: you have been blocked</html>').next).toContain('firewall');
    expect(judged(404, '').next).toContain('base URL');
    expect(judged(429, '', { 'retry-after': '90' }).next).toBe('Wait 90 seconds, then try again.');
    expect(judged(429, '', { 'retry-after-ms': '20' }).next).toBe('Wait 1 second, then try again.');
  });
});

test.each([
  [402, { error: { message: 'Insufficient Balance' } }],
  [429, { error: { code: 'insufficient_quota', message: 'You exceeded your current quota.' } }],
  [400, { error: { message: 'Your credit balance is too low to access the Anthropic API.' } }],
])('what no time resets is not to be waited for: %i %j', (status, body) => {
  expect(judged(status, body, {}).next).toBe('Add credit to the account, or use another account or provider.');
});
