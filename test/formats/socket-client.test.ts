import { describe, expect, test } from 'vitest';
import { done, endOf, first, never, SocketTalk, user } from '../harness/socket-talk.ts';
import type { ModelEvent, ModelRequest, ModelPrompt } from '../../src/ports/model.ts';
import {
  answer,
  callTool,
  cutAfter,
  failed,
  hang,
  httpError,
  overflow,
  reason,
  say,
  type ScriptStep,
  socketFault,
  type SocketFault,
} from '../../src/testing/index.ts';
import { responsesEncoder } from '../../src/adapters/model/responses/encode.ts';

describe('a conversation over one connection', () => {
  test('sends the first request whole, and then what is new', async () => {
    const asks = answer({ items: [reason('Hm.'), say('I look.'), callTool('look_up', { word: 'a' })], deltas: true });
    const talk = await SocketTalk.with([asks, done, done]);
    const second = await talk.next(first, 'Two?');
    const labelled = { ...second, options: { ...second.options, labels: { turn_id: '2' } } };
    const third = await talk.next(labelled, 'Three?');
    await talk.ask({ ...third, input: [...third.input, user('Four?')] });

    expect(talk.kinds).toEqual(['full', 'incremental', 'incremental']);
    expect(new Set(talk.model.requests.map(({ connection }) => connection)).size).toBe(1);
    expect(talk.frames.map(({ link, items }) => [link?.previous, link?.from, items])).toEqual([
      [undefined, undefined, 1],
      ['resp_1', 4, 1],
      ['resp_2', 6, 2],
    ]);
    const inputs = talk.model.frames.map(({ bytes }) => JSON.parse(bytes.toString('utf8')).input.length);
    expect(inputs).toEqual([1, 1, 2]);
    // The bytes that left are those that the encoder gives for the record of them, and stand for the whole request.
    const encoder = responsesEncoder();
    for (const [index, prompt] of [first, labelled].entries()) {
      const { link } = talk.frames[index]!;
      expect(Buffer.concat(encoder.frame!(prompt, link))).toEqual(talk.model.frames[index]!.bytes);
      expect(Buffer.concat(encoder.body(prompt))).toEqual(talk.model.requests[index]!.bytes);
    }
    expect(talk.model.requests[0]!.headers).toMatchObject({
      'openai-beta': 'responses_websockets=2026-02-06',
      'thread-id': 't1',
    });
  });

  test('gives the events that a stream gives', async () => {
    const script = [answer({ items: [reason('Hm.'), say('So it is.')], deltas: true, chunkBytes: 7 })];
    const over = async (supportsWebsockets: boolean) =>
      (await SocketTalk.with(script, { provider: { supportsWebsockets } })).ask(first);
    const joined = (events: readonly ModelEvent[]) => events.filter(({ kind }) => !kind.endsWith('-delta'));
    expect(joined(await over(true))).toEqual(joined(await over(false)));
  });

  test.each<readonly [string, (next: ModelPrompt) => ModelPrompt]>([
    ['another model', (next) => ({ ...next, options: { ...next.options, model: 'n' } })],
    ['another effort', (next) => ({ ...next, options: { ...next.options, effort: 'low' } })],
    ['another choice of tools', (next) => ({ ...next, options: { ...next.options, toolChoice: 'none' } })],
    ['other instructions', (next) => ({ ...next, instructions: 'Be quick.' })],
    ['other tools', (next) => ({ ...next, tools: [...next.tools, { type: 'web_search' }] })],
    ['another beginning', (next) => ({ ...next, input: [user('None?'), ...next.input.slice(1)] })],
    ['another answer', (next) => ({ ...next, input: next.input.with(1, { ...next.input[1]!, id: 'msg_x' }) })],
    ['an answer that is not in it', (next) => ({ ...next, input: [next.input[0]!, next.input[2]!] })],
    ['less than was sent', (next) => ({ ...next, input: [] })],
  ])('sends the whole request after a change: %s', async (_, change) => {
    const talk = await SocketTalk.with([done, done]);
    const prompt = change(await talk.next(first, 'Two?'));
    expect(endOf(await talk.ask(prompt))).toBe('completed');
    expect(talk.kinds).toEqual(['full', 'full']);
    const body = Buffer.concat(responsesEncoder().body(prompt)).toString();
    expect(talk.model.requests[1]!.bytes.toString()).toBe(body);
    expect(talk.model.upgrades).toBe(1);
  });

  test('equal objects are as good as the same ones', async () => {
    const talk = await SocketTalk.with([done, done]);
    await talk.ask(structuredClone(await talk.next(first, 'Two?')));
    expect(talk.kinds).toEqual(['full', 'incremental']);
  });

  test('opens the connection before there is a request', async () => {
    const talk = await SocketTalk.with([done]);
    talk.client.prewarm!({ headers: { 'thread-id': 't1' } });
    await expect.poll(() => talk.model.upgrades).toBe(1);
    expect(talk.model.frames).toEqual([]);
    expect(endOf(await talk.ask(first))).toBe('completed');
    expect(talk.model.upgrades).toBe(1);
  });

  test('requests beside it go over HTTP: without a prompt, for a checkpoint, or while another is on its way', async () => {
    const talk = await SocketTalk.with([done, done, answer({ items: [say('Slow.')], firstByteDelayMs: 50 }), done]);
    const { prompt: _prompt, ...bare } = talk.request(first);
    const all = async (request: ModelRequest) => Array.fromAsync(talk.client.stream(request, never));
    await all(bare);
    await all({ ...talk.request(first), wants: 'checkpoint' });
    await Promise.all([talk.ask(first), talk.ask(first)]);
    expect(talk.kinds.toSorted()).toEqual(['full', 'http', 'http', 'http']);
  });
});

describe('an answer that fails', () => {
  const faults: readonly SocketFault[] = [
    'binary',
    'masked',
    'reserved-bits',
    'unknown-kind',
    'lost-fragment',
    'not-utf8',
    { close: 1000 },
    { close: 1011, reason: 'restarting' },
  ];
  test.each(faults)('a fault in the middle ends it, and the next request is whole: %j', async (fault) => {
    const asks = answer({ items: [say('I look.'), callTool('look_up', { word: 'a' })] });
    const talk = await SocketTalk.with([socketFault({ fault, afterEvents: 3, of: asks }), done]);
    const events = await talk.ask(first);
    expect(events.map(({ kind }) => kind)).toEqual(['created', 'item', 'failed']);
    expect(events.at(-1)).toMatchObject({ failure: { code: 'stream-cut', retry: {} } });
    const items = events.flatMap((event) => (event.kind === 'item' ? [event.item] : []));
    expect(endOf(await talk.ask({ ...first, input: [...first.input, ...items] }))).toBe('completed');
    expect(talk.kinds).toEqual(['full', 'full']);
    expect(talk.model.upgrades).toBe(2);
  });

  test.each<readonly [string, ScriptStep, string]>([
    ['a frame without end', socketFault({ fault: 'huge', of: done }), 'answer-too-large'],
    ['a cut', cutAfter({ bytes: 90, of: done }), 'stream-cut'],
    ['a stall', hang({ afterBytes: 90, of: done }), 'stream-idle'],
    ['a failed response', failed({ code: 'server_is_overloaded', message: 'Busy.' }), 'overloaded'],
    [
      'a status',
      httpError({ status: 429, headers: { 'Retry-After': '7' }, body: { error: { message: 'Slow.' } } }),
      'rate-limited',
    ],
    [
      'an overflow',
      httpError({ status: 400, body: { error: { code: 'context_length_exceeded' } } }),
      'context-window-exceeded',
    ],
    // It has no status, and the server leaves the connection open.
    ['an error in the stream', overflow('error'), 'context-window-exceeded'],
  ])('%s', async (_, step, code) => {
    const talk = await SocketTalk.with([step, done], {
      provider: code === 'stream-idle' ? { streamIdleTimeoutMs: 500 } : {},
    });
    expect(endOf(await talk.ask(first))).toBe(code);
    expect(endOf(await talk.ask(first))).toBe('completed');
    expect(talk.kinds).toEqual(['full', 'full']);
    expect(talk.model.upgrades).toBe(2);
  });

  test('is stopped at once, and its connection is gone', async () => {
    const talk = await SocketTalk.with([hang({ afterBytes: 90, of: done }), done]);
    const stop = new AbortController();
    const asked = talk.ask(first, stop.signal);
    const arrived = await talk.model.request(0);
    stop.abort();
    expect(endOf(await asked)).toBe('aborted');
    expect(await arrived.ended).toBe('client-left');
    expect(endOf(await talk.ask(first))).toBe('completed');
  });

  test('an error without a status is none', async () => {
    const talk = await SocketTalk.with([
      { kind: 'malformed', data: '{"type":"error","error":{"message":"Never mind."}}', of: done },
    ]);
    expect(endOf(await talk.ask(first))).toBe('completed');
  });

  test('names no secret', async () => {
    const token = 'sk-very-secret-token';
    const step = httpError({ status: 400, body: { error: { message: `The key ${token} is odd.` } } });
    const credentials = () => Promise.resolve({ kind: 'bearer', mode: 'api-key', token } as const);
    const talk = await SocketTalk.with([step], { credentials });
    const [event] = await talk.ask(first);
    expect(JSON.stringify(event)).toContain('The key <hidden> is odd.');
    expect(talk.model.requests[0]!.headers.authorization).toBe(`Bearer ${token}`);
  });
});

test('nothing leaves before the lines of the request are safe', async () => {
  const talk = await SocketTalk.with([done]);
  const safe = Promise.withResolvers<void>();
  const asked = Array.fromAsync(talk.client.stream({ ...talk.request(first), after: safe.promise }, never));
  await expect.poll(() => talk.model.upgrades).toBe(1);
  expect(talk.model.frames).toEqual([]);
  safe.resolve();
  expect(endOf(await asked)).toBe('completed');

  const lost = { ...talk.request(first), after: Promise.reject(new Error('the disk is full')) };
  expect(endOf(await Array.fromAsync(talk.client.stream(lost, never)))).toBe('aborted');
  expect(talk.model.frames.length).toBe(1);
});
