import { afterEach, describe, expect, test } from 'vitest';
import { providerDefaults } from '../../../core/config/providers/provider-config.ts';
import type { CompactAnswer, ModelRequest } from '../../../ports/model.ts';
import {
  answer,
  compacted,
  cutAfter,
  hang,
  httpError,
  overflow,
  say,
  type Script,
  type ScriptedModel,
  type ScriptStep,
  startScriptedModel,
} from '../../../testing/index.ts';
import type { HttpClientOptions } from '../http/send-question.ts';
import type { ProviderOptions } from '../http/credentials-and-headers.ts';
import { responsesClient } from './client.ts';

const never = new AbortController().signal;
const request: ModelRequest = { body: [Buffer.from('{"model":"m"}')], headers: { 'thread-id': 't1' } };
const checkpoint = compacted({ output: [say('All of it.'), { type: 'compaction', encrypted_content: 'x' }] });
const output = [
  { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'All of it.' }] },
  { type: 'compaction', id: 'cmp_1', encrypted_content: 'x' },
];
const usage = { input: 100, cachedInput: 20, cacheWriteInput: 0, output: 10, reasoningOutput: 3, total: 110 };

const opened: ScriptedModel[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((model) => model.close()));
});

async function start(script: Script): Promise<ScriptedModel> {
  const model = await startScriptedModel(script);
  opened.push(model);
  return model;
}

interface Setting extends Partial<Omit<HttpClientOptions, 'provider'>> {
  readonly provider?: Partial<ProviderOptions>;
}

function clientFor(baseUrl: string, setting: Setting = {}): ReturnType<typeof responsesClient> {
  return responsesClient({
    credentials: () => Promise.resolve({ kind: 'none' }),
    environment: {},
    clock: { now: () => 0, sleep: () => Promise.resolve() },
    random: () => 0.5,
    ...setting,
    provider: { ...providerDefaults, id: 'p', name: 'Some Place', baseUrl, ...setting.provider },
  });
}

/** Code, retry and status of the failure, and its sentence. */
const failureOf = (result: CompactAnswer): readonly unknown[] =>
  result.kind === 'failed'
    ? [result.failure.code, result.failure.retry, result.failure.status, result.failure.message]
    : [result.kind];

const play = async (step: ScriptStep, setting: Setting = {}): Promise<readonly unknown[]> =>
  failureOf(await clientFor((await start(() => step)).url, setting).compact(request, never));

describe('a checkpoint of the provider', () => {
  test('is its items and what it cost', async () => {
    const model = await start([checkpoint, compacted({ output: [], usage: 'null' })]);
    const client = clientFor(model.url);
    expect(await client.compact(request, never)).toEqual({ kind: 'compacted', output, usage });
    expect(await client.compact(request, never)).toEqual({ kind: 'compacted', output: [] });
  });

  test('is asked for at its own endpoint, over the connection of the steps', async () => {
    const model = await start([answer({ items: [] }), checkpoint, answer({ items: [] })]);
    const client = clientFor(model.url, { provider: { queryParams: { v: '1' }, httpHeaders: { 'x-team': 'blue' } } });
    for await (const _ of client.stream(request, never));
    await client.compact(request, never);
    for await (const _ of client.stream(request, never));
    expect(model.requests.map(({ path, connection }) => [path.replace(/^.*\/v1/, ''), connection])).toEqual([
      ['/responses?v=1', 0],
      ['/responses/compact?v=1', 0],
      ['/responses?v=1', 0],
    ]);
    expect(model.requests[1]?.bytes.toString()).toBe('{"model":"m"}');
    expect(model.requests[1]?.headers).toMatchObject({
      accept: 'application/json',
      'content-type': 'application/json',
      'thread-id': 't1',
      'x-team': 'blue',
    });
  });

  test('is asked for again when the connection or the server fails', async () => {
    const broken = httpError({ status: 500, body: 'oops' });
    const model = await start([cutAfter({ bytes: 0, of: checkpoint }), broken, broken, checkpoint]);
    expect(await clientFor(model.url).compact(request, never)).toEqual({ kind: 'compacted', output, usage });
    expect(model.requests.length).toBe(4);
    const stubborn = await start(() => broken);
    const { provider } = { provider: { requestMaxRetries: 1 } };
    const result = await clientFor(stubborn.url, { provider }).compact(request, never);
    expect([failureOf(result).slice(0, 3), stubborn.requests.length]).toEqual([['server-error', {}, 500], 2]);
  });

  test('waits four times as long as a stream', async () => {
    const provider = { streamIdleTimeoutMs: 50 };
    const silent = ['stream-idle', {}, undefined, 'The provider sent nothing for 0.2 seconds.'];
    expect(await play(hang({ afterBytes: 0, of: checkpoint }), { provider })).toEqual(silent);
    expect(await play(hang({ afterBytes: 9, of: checkpoint }), { provider })).toEqual(silent);
  });
});

describe('failures', () => {
  const error = (fields: object): { error: object } => ({ error: fields });

  test.each([
    ['overflow', 400, error({ code: 'context_length_exceeded', message: 'long' }), 'context-window-exceeded', 'never'],
    ['overflow in words', 400, error({ message: 'prompt is too long' }), 'context-window-exceeded', 'never'],
    ['overflow as a success', 200, error({ code: 'context_length_exceeded' }), 'context-window-exceeded', 'never'],
    ['a bad request', 400, error({ message: 'no' }), 'invalid-request', 'never'],
    ['a bad key', 401, error({ message: 'no' }), 'unauthorized', 'never'],
    ['no such endpoint', 404, '', 'invalid-request', 'never'],
    ['a usage limit', 429, error({ type: 'usage_limit_reached' }), 'usage-limit', 'never'],
    ['a rate limit', 429, error({ message: 'try again in 2s' }), 'rate-limited', { afterMs: 2000 }],
    ['overload', 503, error({ code: 'server_is_overloaded' }), 'overloaded', {}],
  ])('%s', async (_name, status, body, code, retry) => {
    expect((await play(httpError({ status, body: body as never }))).slice(0, 3)).toEqual([code, retry, status]);
  });

  test('every form of a refusal by status is seen', async () => {
    for (const form of ['status', 'status-words'] as const) {
      expect((await play(overflow(form)))[0]).toBe('context-window-exceeded');
    }
  });

  test.each<[string, string | object, string]>([
    ['text', 'Sorry.', 'is not a JSON object'],
    ['another shape', [], 'is not a JSON object'],
    ['no output', {}, 'has no list of items in "output"'],
    ['output that is no list', { output: 'Sorry.' }, 'has no list of items in "output"'],
    ['output of null', { output: null }, 'has no list of items in "output"'],
    ['an item without a type', { output: [{ role: 'user' }] }, 'has something in "output" that is not an item'],
    ['an item that is none', { output: ['Sorry.'] }, 'has something in "output" that is not an item'],
  ])('an answer that is no checkpoint: %s', async (_name, body, what) => {
    const given = typeof body === 'string' ? body : JSON.stringify(body);
    const headers = { 'content-type': 'application/json' };
    expect(await play(httpError({ status: 200, body: given, headers }))).toEqual([
      'invalid-request',
      'never',
      undefined,
      `The answer to the checkpoint request ${what}.`,
    ]);
  });

  test('a page and a stream instead of it', async () => {
    const page = httpError({ status: 200, body: '<html>', headers: { 'content-type': 'text/html' } });
    expect((await play(page))[0]).toBe('invalid-request');
    expect((await play(answer({ items: [] })))[0]).toBe('invalid-request');
  });

  test('of the connection in the middle', async () => {
    expect((await play(cutAfter({ bytes: 9, of: checkpoint }))).slice(0, 3)).toEqual(['stream-cut', {}, undefined]);
  });

  test('never show a secret that the server sends back', async () => {
    const body = { error: { message: 'Wrong: access-token of account-1.' } };
    const credentials = {
      kind: 'bearer',
      mode: 'chatgpt',
      token: 'access-token',
      accountId: 'account-1',
      renew: 'Sign in again.',
    } as const;
    const model = await start([httpError({ status: 401, body })]);
    const client = clientFor(model.url, { credentials: () => Promise.resolve(credentials) });
    expect(await client.compact(request, never)).toEqual({
      kind: 'failed',
      failure: {
        code: 'unauthorized',
        message: 'The provider answered with status 401: Wrong: <hidden> of <hidden>.',
        next: 'Sign in again.',
        retry: 'never',
        cause: 'key',
        status: 401,
      },
    });
  });

  test('of configuration send nothing', async () => {
    expect(failureOf(await clientFor('nowhere').compact(request, never))[0]).toBe('invalid-request');
    const model = await start([]);
    const credentials = (): Promise<never> => Promise.reject(new Error('sk-secret'));
    const client = clientFor(model.url, { credentials });
    expect(failureOf(await client.compact(request, never)).slice(0, 2)).toEqual(['unauthorized', 'never']);
    expect([await client.authMode(), model.requests]).toEqual(['none', []]);
  });
});

describe('abort', () => {
  test.each([0, 9])('after %i bytes ends it at once', async (afterBytes) => {
    const model = await start([hang({ afterBytes, of: checkpoint })]);
    const abort = new AbortController();
    const pending = clientFor(model.url).compact(request, abort.signal);
    await model.request(0);
    setTimeout(() => abort.abort(), 20);
    expect(failureOf(await pending).slice(0, 2)).toEqual(['aborted', 'never']);
    expect(await model.requests[0]?.ended).toBe('client-left');
  });

  test('goes with a request whose time does not come', async () => {
    const model = await start([checkpoint]);
    const after = Promise.reject(new Error('the disk is full'));
    const result = await clientFor(model.url).compact({ ...request, after }, never);
    expect([failureOf(result)[0], model.requests]).toEqual(['aborted', []]);
  });
});

describe('a login with ChatGPT', () => {
  test('that is refused is asked for another token', async () => {
    const model = await start([httpError({ status: 401 }), checkpoint]);
    const client = clientFor(model.url, {
      credentials: ({ rejected }) =>
        Promise.resolve({
          kind: 'bearer',
          mode: 'chatgpt',
          token: rejected === undefined ? 'old' : `not ${rejected}`,
          renew: '',
          renewable: true,
        }),
    });
    expect((await client.compact(request, never)).kind).toBe('compacted');
    expect(model.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', 'Bearer not old']);
  });

  test('goes to its own address, with its account', async () => {
    const [own, other] = [await start([checkpoint]), await start([])];
    const client = clientFor(other.url, {
      credentials: () =>
        Promise.resolve({ kind: 'bearer', mode: 'chatgpt', token: 't', accountId: 'a', baseUrl: own.url, renew: '' }),
    });
    expect(await client.authMode()).toBe('chatgpt');
    expect((await client.compact(request, never)).kind).toBe('compacted');
    expect(own.requests[0]?.headers).toMatchObject({ authorization: 'Bearer t', 'chatgpt-account-id': 'a' });
    expect(other.requests).toEqual([]);
  });
});
