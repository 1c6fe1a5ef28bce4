import { afterEach, describe, expect, test } from 'vitest';
import { providerDefaults } from '../../../core/config/providers/provider-config.ts';
import type { ModelEvent } from '../../../ports/model.ts';
import { answer, httpError, say, type Script, type ScriptedModel, startScriptedModel } from '../../../testing/index.ts';
import type { HttpClientOptions } from '../http/send-question.ts';
import { anthropicClient, messagesEndpoint } from './client.ts';

const key = 'sk-ant-secret-key';
const hello = answer({ items: [say('Hello there.')] });
let opened: ScriptedModel[] = [];
afterEach(async () => {
  await Promise.all(opened.map((model) => model.close()));
  opened = [];
});

interface Asked {
  readonly model: ScriptedModel;
  readonly events: readonly ModelEvent[];
  readonly sleeps: readonly number[];
}

async function ask(script: Script, more: Partial<HttpClientOptions['provider']> = {}, path = ''): Promise<Asked> {
  const model = await startScriptedModel(script);
  opened.push(model);
  const sleeps: number[] = [];
  const client = anthropicClient({
    provider: { ...providerDefaults, id: 'a', name: 'A', baseUrl: model.url + path, wireApi: 'anthropic', ...more },
    credentials: () => Promise.resolve({ kind: 'bearer', mode: 'api-key', token: key }),
    environment: {},
    clock: { now: () => 0, sleep: (milliseconds) => Promise.resolve(void sleeps.push(milliseconds)) },
    random: () => 0.5,
  });
  const events: ModelEvent[] = [];
  const request = { body: [Buffer.from('{}')], headers: {} };
  for await (const event of client.stream(request, new AbortController().signal)) events.push(event);
  return { model, events, sleeps };
}

const refused = (status: number, type: string, message: string, headers: Readonly<Record<string, string>> = {}) =>
  httpError({ status, headers, body: { type: 'error', error: { type, message }, request_id: 'req_1' } });

test('a request names the key and the revision of the API', async () => {
  const { model, events } = await ask([hello], { httpHeaders: { 'anthropic-beta': 'some-beta' } });
  const [{ path, headers } = { path: '', headers: {} }] = model.requests;
  expect(path.endsWith('/v1/messages')).toBe(true);
  expect(headers).toMatchObject({
    'x-api-key': key,
    'anthropic-version': '2023-06-01',
    'anthropic-beta': 'some-beta',
    accept: 'text/event-stream',
  });
  expect(headers).not.toHaveProperty('authorization');
  expect(events.at(-1)).toMatchObject({ kind: 'completed', usage: { input: 100, cachedInput: 20, output: 10 } });
});

test.each([
  ['https://api.anthropic.com', 'v1/messages'],
  ['https://api.anthropic.com/v1', 'messages'],
  ['https://api.anthropic.com/v1?beta=true', 'messages'],
  ['https://gateway.example/anthropic', 'v1/messages'],
  ['https://gateway.example/anthropic/v1', 'messages'],
  ['https://gateway.example/v1beta1', 'messages'],
  ['https://gateway.example/api/v1/claude', 'v1/messages'],
])('below %s steps are posted to %s', (baseUrl, endpoint) => {
  expect(messagesEndpoint(baseUrl)).toBe(endpoint);
});

describe('a refusal', () => {
  test.each([
    [401, 'authentication_error', 'invalid x-api-key', 'unauthorized'],
    [403, 'permission_error', 'Your key may not use this.', 'unauthorized'],
    [402, 'billing_error', 'Pay first.', 'usage-limit'],
    [400, 'invalid_request_error', 'Your credit balance is too low to access the Anthropic API.', 'usage-limit'],
    [400, 'invalid_request_error', 'messages: at least one message is required', 'invalid-request'],
    [404, 'not_found_error', 'model: claude-9', 'invalid-request'],
    [413, 'request_too_large', 'Request exceeds the maximum size', 'context-window-exceeded'],
    [400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum', 'context-window-exceeded'],
    [
      400,
      'invalid_request_error',
      'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again',
      'context-window-exceeded',
    ],
  ])('%i %s (%s): %s', async (status, type, message, code) => {
    const { events, model } = await ask([refused(status, type, message, { 'request-id': 'req_1' })]);
    const end = events[0];
    expect(events).toHaveLength(1);
    expect(end).toMatchObject({ kind: 'failed', failure: { code, retry: 'never', status } });
    expect(end).toMatchObject({ failure: { message: expect.stringContaining('(request req_1)') } });
    expect(model.requests).toHaveLength(1);
    const window = message.includes('200000') ? { window: 200_000 } : {};
    expect(end).toMatchObject({ failure: window });
  });

  test('an overload is tried again, a limit after the time that the server asks for', async () => {
    const overloaded = refused(529, 'overloaded_error', 'Overloaded');
    const again = await ask([overloaded, refused(500, 'api_error', 'Internal server error'), hello]);
    expect(again.events.at(-1)).toMatchObject({ kind: 'completed' });
    expect(again.model.requests).toHaveLength(3);
    const spent = await ask([overloaded], { requestMaxRetries: 0 });
    expect(spent.events).toMatchObject([{ kind: 'failed', failure: { code: 'overloaded', retry: {} } }]);
    const limited = await ask([refused(429, 'rate_limit_error', 'Slow down.', { 'retry-after': '7' })]);
    expect(limited.events).toMatchObject([{ failure: { code: 'rate-limited', retry: { afterMs: 7000 } } }]);
  });

  test('does not show the key', async () => {
    const { events } = await ask([refused(401, 'authentication_error', `invalid x-api-key: ${key}`)]);
    expect(JSON.stringify(events)).not.toContain(key);
  });
});
