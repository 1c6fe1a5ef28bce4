import { getEventListeners } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../../ports/system.ts';
import type { ModelClient, ModelEvent, ModelRequest, RequestRetry } from '../../../ports/model.ts';
import {
  answer,
  callTool,
  cutAfter,
  failed,
  hang,
  httpError,
  incomplete,
  malformed,
  overflow,
  overflowForms,
  reason,
  say,
  type Script,
  type ScriptedModel,
  type ScriptStep,
  startScriptedModel,
} from '../../../testing/index.ts';
import { providerDefaults } from '../../../core/config/providers/provider-config.ts';
import type { ProviderOptions } from '../http/credentials-and-headers.ts';
import { joinedDeltas } from '../http/answer-decoder.ts';
import { responsesClient } from './client.ts';
import type { HttpClientOptions } from '../http/send-question.ts';

const never = new AbortController().signal;
const request: ModelRequest = { body: [Buffer.from('{"model":'), Buffer.from('"m"}')], headers: { 'thread-id': 't1' } };
const hello = answer({ items: [say('Hello there.')], deltas: true });
const helloItem = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Hello there.' }],
};
const usage = { input: 100, cachedInput: 20, cacheWriteInput: 0, output: 10, reasoningOutput: 3, total: 110 };
const helloEvents: readonly ModelEvent[] = [
  { kind: 'created', responseId: 'resp_1' },
  { kind: 'text-delta', itemId: 'msg_1', delta: 'Hello there.' },
  { kind: 'item', item: helloItem },
  { kind: 'completed', responseId: 'resp_1', usage },
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

/** Writes down how long it was asked to sleep, and does not. */
function sleepless(): { readonly clock: Clock; readonly sleeps: number[] } {
  const sleeps: number[] = [];
  const clock: Clock = {
    now: () => Date.UTC(2026, 0, 1),
    sleep: (milliseconds) => {
      sleeps.push(milliseconds);
      return Promise.resolve();
    },
  };
  return { clock, sleeps };
}

interface Setting extends Partial<Omit<HttpClientOptions, 'provider'>> {
  readonly provider?: Partial<ProviderOptions>;
}

function clientFor(baseUrl: string, setting: Setting = {}): ModelClient {
  return responsesClient({
    credentials: () => Promise.resolve({ kind: 'none' }),
    environment: {},
    clock: sleepless().clock,
    random: () => 0.5,
    ...setting,
    provider: { ...providerDefaults, id: 'p', name: 'Some Place', baseUrl, ...setting.provider },
  });
}

/** Which pieces of a text come together is up to the network. */
async function collect(events: AsyncIterable<ModelEvent>): Promise<readonly ModelEvent[]> {
  const all: ModelEvent[] = [];
  for await (const event of events) all.push(event);
  return joinedDeltas(all);
}

/** The result of a failed request: the events before the failure, and code, retry and status of the failure. */
async function failureOf(events: AsyncIterable<ModelEvent>): Promise<readonly unknown[]> {
  return (await collect(events)).map((event) =>
    event.kind === 'failed' ? [event.failure.code, event.failure.retry, event.failure.status] : event.kind,
  );
}

const play = async (step: ScriptStep, setting: Setting = {}): Promise<readonly unknown[]> =>
  failureOf(clientFor((await start(() => step)).url, setting).stream(request, never));

describe('a good answer', () => {
  test('arrives event by event', async () => {
    const model = await start([hello]);
    expect(await collect(clientFor(model.url).stream(request, never))).toEqual(helloEvents);
    expect(await model.requests[0]?.ended).toBe('answered');
  });

  test.each([1, 2, 3, 7, 64])('arrives whole in pieces of %i bytes', async (chunkBytes) => {
    const model = await start([{ ...hello, chunkBytes }]);
    expect(await collect(clientFor(model.url).stream(request, never))).toEqual(helloEvents);
  });

  test('may hold reasoning and calls, want another step, and count nothing', async () => {
    const items = [reason('Think.'), callTool('look', { path: 'ä' }), callTool('look', '{broken', 'call_x')];
    const model = await start([answer({ items, deltas: true, usage: 'none', endTurn: false, responseId: 'resp_x' })]);
    expect(await collect(clientFor(model.url).stream(request, never))).toEqual([
      { kind: 'created', responseId: 'resp_x' },
      { kind: 'reasoning-delta', itemId: 'rs_1', part: 0, delta: 'Think.' },
      { kind: 'item', item: { ...reason('Think.'), id: 'rs_1' } },
      { kind: 'item', item: { ...callTool('look', { path: 'ä' }, 'call_1'), id: 'fc_1' } },
      { kind: 'item', item: { ...callTool('look', '{broken', 'call_x'), id: 'fc_2' } },
      { kind: 'completed', responseId: 'resp_x', endTurn: false },
    ]);
  });

  test('is handed on as it comes', async () => {
    const model = await start([hang({ afterBytes: 700, of: hello })]);
    const events = clientFor(model.url).stream(request, never)[Symbol.asyncIterator]();
    expect((await events.next()).value).toEqual(helloEvents[0]);
    expect((await events.next()).value).toMatchObject({ kind: 'text-delta', delta: expect.stringMatching(/^Hello/) });
    await events.return?.();
    expect(await model.requests[0]?.ended).toBe('client-left');
  });

  test('survives an event that cannot be read', async () => {
    const model = await start([malformed({ of: hello })]);
    expect(await collect(clientFor(model.url).stream(request, never))).toEqual(helloEvents);
  });

  test('is complete although the server does not end the stream', async () => {
    const model = await start([hang({ afterBytes: 100_000, of: hello })]);
    expect(await collect(clientFor(model.url).stream(request, never))).toEqual(helloEvents);
    // The connection is given up in the background when its end does not come.
    expect(await model.requests[0]?.ended).toBe('client-left');
  });
});

describe('the request', () => {
  test('carries body, address and headers', async () => {
    const model = await start([hello]);
    const client = clientFor(`${model.url}/`, {
      credentials: () => Promise.resolve({ kind: 'bearer', mode: 'api-key', token: 'sk-secret' }),
      provider: { httpHeaders: { 'x-team': 'blue' }, queryParams: { 'api-version': '2 b' } },
    });
    await collect(client.stream(request, never));
    const [recorded] = model.requests;
    expect(recorded).toMatchObject({
      method: 'POST',
      path: expect.stringContaining('/v1/responses?api-version=2%20b'),
      body: { model: 'm' },
    });
    expect(recorded?.bytes.toString()).toBe('{"model":"m"}');
    expect(recorded?.headers).toMatchObject({
      accept: 'text/event-stream',
      authorization: 'Bearer sk-secret',
      'content-length': '13',
      'content-type': 'application/json',
      'thread-id': 't1',
      'x-team': 'blue',
    });
  });

  test('may be large', async () => {
    const model = await start([hello]);
    const item = Buffer.from(`,"${'x'.repeat(1021)}"`);
    const pieces = [Buffer.from('{"input":[0'), ...Array.from({ length: 2048 }, () => item), Buffer.from(']}')];
    const events = await collect(clientFor(model.url).stream({ body: pieces, headers: {} }, never));
    expect(events.at(-1)?.kind).toBe('completed');
    expect(model.requests[0]?.bytes.equals(Buffer.concat(pieces))).toBe(true);
  });

  test('uses the connection of the one before', async () => {
    const model = await start([hello, hello, httpError({ status: 400, body: 'no' }), hello]);
    const client = clientFor(model.url);
    for (const _ of [1, 2, 3, 4]) await collect(client.stream(request, never));
    expect(model.requests.map((recorded) => recorded.connection)).toEqual([0, 0, 0, 0]);
  });

  test('is sent again at once when a kept connection turns out to be dead', async () => {
    const { clock, sleeps } = sleepless();
    const model = await start([hello, cutAfter({ bytes: 0, of: hello }), hello]);
    const client = clientFor(model.url, { clock, provider: { requestMaxRetries: 0 } });
    await collect(client.stream(request, never));
    expect((await collect(client.stream(request, never))).at(-1)?.kind).toBe('completed');
    expect([model.requests.length, sleeps]).toEqual([3, []]);
  });
});

describe('a request that must wait', () => {
  /** A server that answers nothing, and what happened at it and before it. */
  async function listener(): Promise<{ url: string; connected: Promise<void>; bytes: Promise<void>; log: string[] }> {
    const log: string[] = [];
    const [connected, bytes] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const server = createServer((socket) => {
      log.push('connected');
      connected.resolve();
      socket
        .on('error', () => {})
        .once('data', () => {
          log.push('bytes');
          bytes.resolve();
        });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    server.unref();
    const { port } = server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}`, connected: connected.promise, bytes: bytes.promise, log };
  }

  test('opens its connection, and sends nothing before its time', async () => {
    const { url, connected, bytes, log } = await listener();
    const time = Promise.withResolvers<void>();
    const stop = new AbortController();
    const events = collect(clientFor(url).stream({ ...request, after: time.promise }, stop.signal));
    await connected;
    await new Promise((resolve) => setTimeout(resolve, 50));
    log.push('time');
    time.resolve();
    await bytes;
    expect(log).toEqual(['connected', 'time', 'bytes']);
    stop.abort();
    expect(await events).toMatchObject([{ kind: 'failed', failure: { code: 'aborted' } }]);
  });

  test('is never sent when its time does not come', async () => {
    const { url, connected, log } = await listener();
    const after = connected.then(() => Promise.reject(new Error('the disk is full')));
    const events = await collect(clientFor(url).stream({ ...request, after }, never));
    expect(events).toMatchObject([{ kind: 'failed', failure: { code: 'aborted', retry: 'never' } }]);
    expect(log).toEqual(['connected']);
  });
});

describe('retries', () => {
  test('send the same bytes again, with growing delays', async () => {
    const { clock, sleeps } = sleepless();
    const broken = httpError({ status: 500, body: 'oops' });
    const model = await start([cutAfter({ bytes: 0, of: hello }), broken, broken, hello]);
    const events = await collect(clientFor(model.url, { clock }).stream(request, never));
    expect(events).toEqual(helloEvents);
    expect(sleeps.map(Math.round)).toEqual([200, 400, 800]);
    expect(new Set(model.requests.map((recorded) => recorded.bytes.toString()))).toEqual(new Set(['{"model":"m"}']));
  });

  test('are reported before each wait, with why and how many there may be', async () => {
    const { clock } = sleepless();
    const model = await start([cutAfter({ bytes: 0, of: hello }), httpError({ status: 500, body: 'oops' }), hello]);
    const told: unknown[] = [];
    const onRetry = ({ failure, waitMs, ...count }: RequestRetry): void =>
      void told.push([failure.code, Math.round(waitMs), count]);
    const client = clientFor(model.url, { clock, provider: { requestMaxRetries: 3 } });
    expect(await collect(client.stream({ ...request, onRetry }, never))).toEqual(helloEvents);
    expect(told).toEqual([
      ['connection-failed', 200, { attempt: 1, of: 2, isFinal: true }],
      ['server-error', 400, { attempt: 2, of: 3 }],
    ]);
  });

  test('wait as long as the server asks, up to a minute', async () => {
    const { clock, sleeps } = sleepless();
    const busy = (seconds: string): ScriptStep => httpError({ status: 503, headers: { 'retry-after': seconds } });
    const model = await start([busy('7'), busy('999'), busy('0'), hello]);
    await collect(clientFor(model.url, { clock }).stream(request, never));
    expect(sleeps.map(Math.round)).toEqual([7000, 60_000, 800]);
  });

  test('come to an end', async () => {
    const model = await start(() => httpError({ status: 500, body: 'oops' }));
    const client = clientFor(model.url, { provider: { requestMaxRetries: 2 } });
    expect(await failureOf(client.stream(request, never))).toEqual([['server-error', {}, 500]]);
    expect(model.requests.length).toBe(3);
  });

  test.each([400, 401, 403, 404])('are not for answers that would stay the same: %i', async (status) => {
    const model = await start([httpError({ status, body: 'no' }), hello]);
    await collect(clientFor(model.url).stream(request, never));
    expect(model.requests.length).toBe(1);
  });
});

describe('failures', () => {
  const json = (fields: object): { error: object } => ({ error: fields });

  test.each([
    ['overflow', 400, json({ code: 'context_length_exceeded', message: 'long' }), 'context-window-exceeded', 'never'],
    ['a bad request', 400, json({ message: 'no' }), 'invalid-request', 'never'],
    ['a bad key', 401, json({ message: 'no' }), 'unauthorized', 'never'],
    ['a usage limit', 429, json({ type: 'usage_limit_reached', message: 'full' }), 'usage-limit', 'never'],
    ['a rate limit', 429, json({ message: 'try again in 2s' }), 'rate-limited', { afterMs: 2000 }],
    ['a page', 200, '<html>', 'invalid-request', 'never'],
  ])('%s', async (_name, status, body, code, retry) => {
    const headers = { 'content-type': typeof body === 'string' ? 'text/html' : 'application/json' };
    expect(await play({ kind: 'http-error', status, body: body as never, headers })).toEqual([[code, retry, status]]);
  });

  test.each([
    [failed({ code: 'context_length_exceeded', message: 'long' }), 'context-window-exceeded', 'never'],
    [failed({ code: 'server_is_overloaded', message: 'busy' }), 'overloaded', {}],
    [failed({ code: 'rate_limit_exceeded', message: 'try again in 28ms' }), 'rate-limited', { afterMs: 28 }],
    [failed({ code: 'who_knows', message: '?' }), 'server-error', {}],
    [incomplete({ reason: 'content_filter' }), 'incomplete', 'never'],
  ])('in the stream: %j', async (step, code, retry) => {
    expect(await play(step)).toEqual(['created', [code, retry, undefined]]);
  });

  test.each(overflowForms)('of a request that is too long, as %s', async (form) => {
    const status = form.startsWith('status') ? 400 : undefined;
    expect((await play(overflow(form))).at(-1)).toEqual(['context-window-exceeded', 'never', status]);
  });

  test('end the stream at once although the server keeps it open', async () => {
    const step = failed({ code: 'invalid_prompt', message: 'no', items: [say('Hm.')] });
    expect(await play(hang({ afterBytes: 100_000, of: step }))).toEqual([
      'created',
      'item',
      ['invalid-request', 'never', undefined],
    ]);
  });

  test('of the connection in the middle of a stream', async () => {
    expect(await play(cutAfter({ bytes: 400, of: hello }))).toEqual(['created', ['stream-cut', {}, undefined]]);
    expect(await play(cutAfter({ bytes: 100_000, of: failed({ code: 'x', message: 'y' }) }))).toEqual([
      'created',
      ['server-error', {}, undefined],
    ]);
  });

  test('of a lost item are seen', async () => {
    const data = '{"type":"response.output_item.done","item":{"type":"function_call","name":';
    expect(await play(malformed({ of: hello, data }))).toContainEqual(['server-error', {}, undefined]);
  });

  test('of a stream that goes silent, before its head and after', async () => {
    const provider = { streamIdleTimeoutMs: 400 };
    expect(await play(hang({ afterBytes: 0, of: hello }), { provider })).toEqual([['stream-idle', {}, undefined]]);
    expect(await play(hang({ afterBytes: 150, of: hello }), { provider })).toEqual([
      'created',
      ['stream-idle', {}, undefined],
    ]);
  });

  test('are not made of a slow stream or a slow reader', async () => {
    const model = await start([{ ...hello, delayMs: 40 }]);
    const events = clientFor(model.url, { provider: { streamIdleTimeoutMs: 3000 } }).stream(request, never);
    const seen: ModelEvent[] = [];
    for await (const event of events) {
      seen.push(event);
      if (event.kind === 'created') await new Promise((resolve) => setTimeout(resolve, 3500));
    }
    expect(joinedDeltas(seen)).toEqual(helloEvents);
  });

  test('of connecting to this machine are final at once, unless the configuration says how often to try', async () => {
    const { clock, sleeps } = sleepless();
    const port = await unusedPort();
    const [event] = await collect(clientFor(`http://127.0.0.1:${port}/v1`, { clock }).stream(request, never));
    expect(sleeps).toEqual([]);
    const patient = clientFor(`http://127.0.0.1:${port}/v1`, {
      clock,
      provider: { requestMaxRetries: 3, connectMaxRetries: 3 },
    });
    expect(await collect(patient.stream(request, never))).toEqual([event]);
    expect(event).toEqual({
      kind: 'failed',
      failure: {
        code: 'connection-failed',
        message: `Nothing listens at http://127.0.0.1:${port}: the connection was refused (ECONNREFUSED).`,
        next: 'Start the server, or correct the base URL of the provider.',
        retry: 'never',
        cause: 'connection',
      },
    });
    expect(sleeps.map(Math.round)).toEqual([200, 400, 800]);
  });

  test('of configuration send nothing', async () => {
    expect(await failureOf(clientFor('nowhere').stream(request, never))).toEqual([
      ['invalid-request', 'never', undefined],
    ]);
    const model = await start([]);
    const ask = (credentials: HttpClientOptions['credentials']): Promise<readonly unknown[]> =>
      failureOf(clientFor(model.url, { credentials }).stream(request, never));
    const unauthorized = [['unauthorized', 'never', undefined]];
    expect(await ask(() => Promise.resolve({ kind: 'missing', message: 'No key.', next: 'Get one.' }))).toEqual(
      unauthorized,
    );
    expect(await ask(() => Promise.reject(new Error('sk-secret')))).toEqual(unauthorized);
    expect(await ask(() => Promise.resolve({ kind: 'bearer', mode: 'api-key', token: 'sk\nsecret' }))).toEqual(
      unauthorized,
    );
    expect(model.requests).toEqual([]);
  });

  test('read no more of an error than needed, and show even less', async () => {
    const model = await start([httpError({ status: 400, body: 'x'.repeat(30_000_000) })]);
    const [event] = await collect(clientFor(model.url).stream(request, never));
    expect(event?.kind === 'failed' && event.failure.message.length).toBeLessThan(1100);
    expect(await model.requests[0]?.ended).toBe('client-left');
  });

  test('never show a secret that the server sends back', async () => {
    const body = { error: { message: 'Incorrect key sk-secret, header env-secret.' } };
    const model = await start([httpError({ status: 401, body }), failed({ code: 'x', message: 'key sk-secret' })]);
    const client = clientFor(model.url, {
      credentials: () => Promise.resolve({ kind: 'bearer', mode: 'api-key', token: 'sk-secret' }),
      environment: { KEY: 'env-secret' },
      provider: { envHttpHeaders: { 'x-key': 'KEY' } },
    });
    const events = [
      ...(await collect(client.stream(request, never))),
      ...(await collect(client.stream(request, never))),
    ];
    expect(events.map((event) => (event.kind === 'failed' ? event.failure.message : event.kind))).toEqual([
      'The provider answered with status 401: Incorrect key <hidden>, header <hidden>.',
      'created',
      'The provider reported the error x: key <hidden>',
    ]);
  });
});

describe('abort', () => {
  const aborted = ['aborted', 'never', undefined];

  test('in the middle of a stream ends it at once, and the server sees it', async () => {
    const model = await start([hang({ afterBytes: 150, of: hello })]);
    const abort = new AbortController();
    const kinds: string[] = [];
    for await (const event of clientFor(model.url).stream(request, abort.signal)) {
      kinds.push(event.kind === 'failed' ? event.failure.code : event.kind);
      // By then the stream waits for the next event.
      setImmediate(() => abort.abort());
    }
    expect(kinds).toEqual(['created', 'aborted']);
    expect(await model.requests[0]?.ended).toBe('client-left');
  });

  test('between events that came together drops the rest', async () => {
    const model = await start([hello]);
    const abort = new AbortController();
    const kinds: string[] = [];
    for await (const event of clientFor(model.url).stream(request, abort.signal)) {
      kinds.push(event.kind);
      abort.abort();
    }
    expect(kinds).toEqual(['created', 'failed']);
  });

  test('before the head', async () => {
    const model = await start(() => hang({ afterBytes: 0, of: hello }));
    const abort = new AbortController();
    const pending = failureOf(clientFor(model.url).stream(request, abort.signal));
    const { ended } = await model.request(0);
    abort.abort();
    expect([await pending, await ended, model.requests.length]).toEqual([[aborted], 'client-left', 1]);
  });

  test('while it waits for a retry', async () => {
    const model = await start(() => httpError({ status: 500 }));
    const abort = new AbortController();
    const clock: Clock = {
      now: () => 0,
      sleep: async (_milliseconds, signal) => {
        const wait = new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
        abort.abort();
        await wait;
      },
    };
    expect(await failureOf(clientFor(model.url, { clock }).stream(request, abort.signal))).toEqual([aborted]);
    expect([await model.requests[0]!.ended, model.requests.length]).toEqual(['answered', 1]);
  });

  test('before anything was sent, and while the key is being fetched', async () => {
    const model = await start([]);
    expect(await failureOf(clientFor(model.url).stream(request, AbortSignal.abort()))).toEqual([aborted]);
    const abort = new AbortController();
    const credentials = (): Promise<never> => new Promise(() => setTimeout(() => abort.abort(), 5));
    expect(await failureOf(clientFor(model.url, { credentials }).stream(request, abort.signal))).toEqual([aborted]);
    expect(model.requests).toEqual([]);
  });

  test('leaves no listener behind', async () => {
    const model = await start(() => hello);
    const abort = new AbortController();
    const client = clientFor(model.url);
    await collect(client.stream(request, abort.signal));
    await collect(clientFor('http://127.0.0.1:1/').stream(request, abort.signal));
    for await (const _ of client.stream(request, abort.signal)) break;
    expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
  });
});

/** A port without a listener: taken and given back. */
async function unusedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
